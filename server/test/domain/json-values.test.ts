// What the bytes of a JSON text show before it is parsed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countValues } from '../../src/domain/text/json-values.ts'

const COUNTS: readonly (readonly [string, number])[] = [
  ['0', 1],
  ['"[{,"', 1],
  ['[]', 2],
  ['[1,2,3]', 4],
  ['{"a":1,"b":{"c":[]}}', 5],
  ['{"a":1,"b":{"c":[0]}}', 5],
  [String.raw`["a\",[{",1]`, 3],
  [String.raw`["\\",1,"\\\",",2]`, 5],
  ['[["é,ü"],["\\u005b"]]', 5],
]

test('a value counts once, an empty array or object twice, and nothing in a text does', () => {
  for (const [json, count] of COUNTS) assert.equal(countValues(Buffer.from(json)), count, json)
})

test('whatever the bytes are, counting ends', () => {
  for (const text of ['"', '"\\', '\\\\\\', '[[[', ',,,', '"a', '\u0000\uffff', ']]]']) {
    assert.ok(countValues(Buffer.from(text)) < 10)
  }
})
