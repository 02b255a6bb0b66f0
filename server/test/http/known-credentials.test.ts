// Which callers are known, as far as it decides who is served first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeKnownCredentials } from '../../src/http/wire/authorization.ts'

const makeBusy = () => makeKnownCredentials(() => true)

test('a credential that was good is known until it is refused', () => {
  const credentials = makeBusy()
  const headers = { 'x-api-key': 'one' }
  assert.equal(credentials.has(headers), false)
  credentials.add(headers)
  assert.equal(credentials.has({ 'x-api-key': 'one' }), true)
  assert.equal(credentials.has({ 'x-api-key': 'two' }), false)
  credentials.remove({ 'x-api-key': 'one' })
  assert.equal(credentials.has(headers), false)
})

test('one scheme of Authorization is not another, and no header is no credential', () => {
  const credentials = makeBusy()
  credentials.add({ authorization: 'Bearer one' })
  assert.equal(credentials.has({ authorization: 'Bearer one' }), true)
  assert.equal(credentials.has({ authorization: 'Basic one' }), false)
  credentials.add({})
  assert.equal(credentials.has({}), false)
})

test('of more than 4096 the oldest is forgotten', () => {
  const credentials = makeBusy()
  for (let n = 0; n < 4097; n += 1) credentials.add({ 'x-api-key': `${n}` })
  assert.equal(credentials.has({ 'x-api-key': '0' }), false)
  assert.equal(credentials.has({ 'x-api-key': '4096' }), true)
})

test('while nobody waits a caller is known after 16 requests at most', () => {
  const credentials = makeKnownCredentials(() => false)
  credentials.add({ 'x-api-key': 'first' })
  for (let n = 0; n < 16; n += 1) credentials.add({ 'x-api-key': 'second' })
  assert.equal(credentials.has({ 'x-api-key': 'second' }), true)
})
