// The names of members in a JSON text: which are given twice, wherever they stand and however they are spelled.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findMemberFault, formatMemberFault } from '../../src/domain/text/member-names.ts'

const faultIn = (json: string): string | undefined => {
  JSON.parse(json)
  const fault = findMemberFault(json)
  return fault && `${fault.kind} ${fault.path.join('/')}`
}

test('a member is found twice at any depth, in any spelling, and with any white space', () => {
  for (const [json, fault] of [
    ['{"a":1,"a":1}', 'repeated a'],
    ['{"a":1,"b":{},"c":[],"a":2}', 'repeated a'],
    ['{ "a" : 1 ,\n"\\u0061"\t: 2 }', 'repeated a'],
    ['{"":1,"":2}', 'repeated '],
    ['{"\\n":1,"\\u000a":2}', 'repeated \n'],
    ['[0,{"a":[[],{"b":{"c":1,"d":2,"c":3}}]}]', 'repeated 1/a/1/b/c'],
    ['{"a":{"b":1},"b":{"b":1,"b":2}}', 'repeated b/b'],
    ['{"__proto__":1}', 'prototype __proto__'],
    ['[{"_\\u005fproto__":1}]', 'prototype 0/__proto__'],
  ] as const) {
    assert.equal(faultIn(json), fault, json)
  }
})

test('what only looks like a member given twice is none', () => {
  for (const json of [
    '0',
    '"a:a"',
    '[]',
    '{}',
    '{"a":1,"A":1,"á":1,"a\\u0301":1}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '{"a":"a","b":"a\\":1,\\"a","c":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a\\\\":1,"a":2,"\\"a\\"":3}',
    '{"a":"__proto__","\\\\u005f_proto__":1}',
    '{"constructor":1,"toString":2,"hasOwnProperty":3}',
  ]) {
    assert.equal(faultIn(json), undefined, json)
  }
})

test('no value that was written by JSON.stringify has a fault, and each object that is written with a member twice has', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), fc.jsonValue(), (before, name, value) => {
      const [text, own] = [JSON.stringify(before), `"own":${JSON.stringify(value)}`]
      const fault = findMemberFault(text)
      fc.pre(fault?.kind !== 'prototype')
      assert.equal(fault, undefined)
      fc.pre(findMemberFault(own.slice(6)) === undefined)
      const quoted = JSON.stringify(`x${name}`)
      assert.equal(findMemberFault(`[${text},{${own},${quoted}:${text},"z":0,${quoted}:1}]`)?.kind, 'repeated')
    }),
  )
})

test('a name that is no plain one is not repeated', () => {
  const format = (json: string): string => {
    const fault = findMemberFault(json)
    return fault === undefined ? '' : formatMemberFault(fault)
  }
  assert.equal(format('[{"a":{"b":1,"b":2}}]'), '0.a.b is given twice: give each member once')
  assert.equal(format('{"__proto__":1}'), '__proto__ is the name of no member: leave it out')
  assert.equal(format('{"\\u001b[31m":1,"\\u001b[31m":2}'), 'A member is given twice: give each member once')
  assert.equal(
    format(`{"${'a'.repeat(257)}":1,"${'a'.repeat(257)}":2}`),
    'A member is given twice: give each member once',
  )
})
