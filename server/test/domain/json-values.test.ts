// Counting the values of a JSON text in its bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMoreValues } from '../../src/domain/json-values.ts'

const isCount = (json: string, count: number): void => {
  const bytes = Buffer.from(json)
  assert.deepEqual([hasMoreValues(bytes, count), hasMoreValues(bytes, count - 1)], [false, true], json)
}

test('a value counts once, an empty array or object twice, and nothing in a text does', () => {
  isCount('0', 1)
  isCount('"[{,"', 1)
  isCount('[]', 2)
  isCount('[1,2,3]', 4)
  isCount('{"a":1,"b":{"c":[]}}', 5)
  isCount('{"a":1,"b":{"c":[0]}}', 5)
  isCount(String.raw`["a\",[{",1]`, 3)
  isCount(String.raw`["\\",1,"\\\",",2]`, 5)
  isCount('[["é,ü"],["\\u005b"]]', 5)
})

test('a text that is not JSON has some number, and ends', () => {
  for (const text of ['', '"', '"\\', '\\\\\\', '[[[', ',,,', '"a', '\u0000\uffff']) {
    assert.equal(hasMoreValues(Buffer.from(text), 10), false)
  }
})
