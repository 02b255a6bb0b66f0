// JSON with one meaning: a member that is written twice is found, however it is written, and nothing else is taken for one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseObject } from '../src/readers/json.ts'

const encoder = new TextEncoder()
const parse = (json: string): unknown => parseObject(encoder.encode(json))

for (const [name, space] of Object.entries({
  nothing: '',
  'a space': ' ',
  'a tab': '\t',
  'an LF': '\n',
  'a CR': '\r',
})) {
  test(`a member that is there twice is refused, with ${name} before the colon`, () => {
    const [once, other] = [`"sub"${space}:"a"`, `"\\u0073ub"${space}:"b"`]
    assert.deepEqual(parse(`{${once},"exp":1}`), { sub: 'a', exp: 1 })
    for (const members of [`${once},${other}`, `"sub":"x",${once}`, `${once},"sub":"x"`]) {
      assert.equal(parse(`{${members}}`), undefined)
      assert.equal(parse(`{"act":{${members}},"exp":1}`), undefined)
      assert.equal(parse(`{"lineage":[1,[{${members}}]]}`), undefined)
    }
  })
}

const COLONS = ['":', ' :', '\\":', '\t:', '!:', '":"', '{"a":1}', '\\', ':', '::', '" : "']

test('a colon in a string is none of a member, whatever stands before it', () => {
  for (const text of COLONS) {
    for (const value of [{ [text]: text }, { a: text, b: [text, { [text]: 1 }] }]) {
      assert.deepEqual(parse(JSON.stringify(value)), value)
      assert.deepEqual(parse(JSON.stringify(value, undefined, '\t')), value)
    }
    const [name, twice] = [JSON.stringify(text), '"sub" :1,"sub":2']
    assert.equal(parse(`{${name}:${name},${twice}}`), undefined)
    assert.equal(parse(`{${twice},${name} :${name}}`), undefined)
  }
})

type Written = readonly { readonly name: string; readonly value: string | Written; readonly space: string }[]

const text = fc.oneof(fc.constantFrom('a', 'b', 'sub', ...COLONS), fc.string({ maxLength: 4 }))
const names = fc.constantFrom('a', 'b', 'sub', 'exp', 'act')
const { object: written } = fc.letrec<{ object: Written; value: string | Written }>(tie => ({
  object: fc.array(fc.record({ name: names, value: tie('value'), space: fc.constantFrom('', ' ', '\n', '\t ') }), {
    maxLength: 4,
  }),
  value: fc.oneof({ maxDepth: 4 }, text, tie('object')),
}))

const write = (object: Written): string => {
  const members = object.map(({ name, value, space }) => {
    return `${space}${JSON.stringify(name)}${space}:${space}${typeof value === 'string' ? JSON.stringify(value) : write(value)}`
  })
  return `{${members.join(',')}}`
}

const hasTwice = (object: Written): boolean =>
  new Set(object.map(({ name }) => name)).size < object.length ||
  object.some(({ value }) => typeof value !== 'string' && hasTwice(value))

test('of any object, written with any space, the text is refused exactly where a name is there twice', () => {
  fc.assert(
    fc.property(written, object => {
      const json = write(object)
      assert.deepEqual(parse(json), hasTwice(object) ? undefined : JSON.parse(json))
    }),
    { numRuns: 2000 },
  )
})
