// Which texts name one resource: what RFC 3986 §6.2.2 and §6.2.3 make equal, for http and https alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distinctResources, hasResource, sameResourceIn } from '../../../api/values/audience.ts'

/** The spellings of one resource in each row. */
const EQUAL: readonly (readonly string[])[] = [
  ['https://a.example', 'https://a.example/', 'https://a.example:443', 'https://a.example:', 'HTTPS://A.Example:443/'],
  ['http://a.example:80/x', 'http://A.example/x', 'HTTP://a.example:/x'],
  ['https://a.example/%7euser/%2f', 'https://a.example/~user/%2F', 'https://a.example/%7Euser/%2f'],
  ['https://a.example/%61?q=%7a', 'https://a.example/a?q=z'],
  ['https://a.example/b/../c', 'https://a.example/./c', 'https://a.example/b/%2e%2E/c', 'https://a.example/c'],
  ['https://a.example?x', 'https://a.example/?x'],
  ['https://[::1]:443/', 'https://[::1]', 'https://[0:0::1]'],
]

const DIFFERENT = [
  'https://a.example/mcp',
  'https://a.example/mcp/',
  'https://a.example/MCP',
  'https://a.example//mcp',
  'https://a.example/mcp?',
  'https://a.example/m%2Fcp',
  'https://a.example:8443/mcp',
  'https://a.example:80/mcp',
  'http://a.example/mcp',
  'https://a.example./mcp',
  'https://u@a.example/mcp',
  'urn:a:b',
  'URN:a:b',
  'urn:A:b',
  'spiffe://a/b',
  'spiffe://a/b/',
  'orders',
  '*',
]

test('http(s) resources that RFC 3986 makes equal are one, by whichever spelling', () => {
  for (const spellings of EQUAL) {
    for (const one of spellings) for (const other of spellings) assert.ok(hasResource([one], other), `${one} ${other}`)
    assert.deepEqual(distinctResources(['urn:x', ...spellings, 'urn:x']), ['urn:x', spellings[0]])
  }
})

test('resources that it does not make equal, and those of other schemes, are as many as their texts', () => {
  assert.deepEqual(distinctResources(DIFFERENT), DIFFERENT)
  for (const one of DIFFERENT) for (const other of DIFFERENT) assert.equal(hasResource([one], other), one === other)
})

test('an entry that is spelled alike goes before one that is only the same', () => {
  const list = ['https://a.example/', 'https://a.example']
  for (const one of list) assert.equal(sameResourceIn(list, one), one)
  assert.equal(sameResourceIn(list, 'https://A.example'), list[0])
})
