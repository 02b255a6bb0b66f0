// Whatever bytes a caller sends, the answer is a refusal in the shape of every other, never a 5xx.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Answer, FORM, send } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const RUNS = 150

const service = useService()

const path = fc.constantFrom('/oauth/token', '/oauth/introspect/v2', '/oauth/revoke')
const list = fc.constantFrom('/api/v1/tokens', '/api/v1/tokens/history', '/api/v1/agents')
const name = fc.constantFrom(
  'grant_type',
  'client_id',
  'client_secret',
  'scope',
  'resource',
  'token',
  'limit',
  '__proto__',
)
const piece = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('%', '%ff', '%00', '+', ':', '.', '=', '"', '\\'),
)
const value = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join(''))
const form = fc.array(fc.tuple(name, value), { maxLength: 8 }).map(pairs => pairs.map(pair => pair.join('=')).join('&'))
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  form.map(text => new TextEncoder().encode(text)),
)
// What Node's client will send as a header value, and the server take.
const header = fc.oneof(
  fc.string({ unit: 'grapheme-ascii' }),
  fc.uint8Array({ maxLength: 60 }).map(bytes => Buffer.from(bytes).toString('base64')),
)
const scheme = fc.constantFrom('', 'Basic ', 'basic  ', 'Bearer ', 'Digest ')

const assertAnswered = (answer: Answer): void => {
  assert.ok(answer.status < 500, answer.text)
  if (answer.status === 200 || answer.status === 201) return
  const { error, error_description: description } = answer.json as { error: string; error_description: string }
  assert.match(error, /^[a-z_]+$/)
  // RFC 6749 §5.2.
  assert.match(description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
}

test('no body and no Authorization header leads to a 5xx', async () => {
  const property = fc.asyncProperty(path, body, scheme, header, async (where, bytes, prefix, rest) => {
    const headers = { ...FORM, authorization: prefix + rest }
    assertAnswered(await send(service, { method: 'POST', path: where, headers, body: bytes }))
  })
  await fc.assert(property, { numRuns: RUNS })
})

test('no API key and no query string leads to a 5xx', async () => {
  const property = fc.asyncProperty(list, form, header, async (where, query, key) => {
    const url = `${where}?${query.replaceAll(/[^\x21-\x7E]/gu, '_')}`
    assertAnswered(await send(service, { path: url, headers: { 'x-api-key': key } }))
  })
  await fc.assert(property, { numRuns: RUNS })
})

test('no query string of a reader who is known leads to a 5xx', async () => {
  const keys = {
    tokens: (await service.createApiKey('tokens:read')).key,
    agents: (await service.createApiKey('agents:read')).key,
  }
  const property = fc.asyncProperty(list, form, async (where, query) => {
    const url = `${where}?${query.replaceAll(/[^\x21-\x7E]/gu, '_')}`
    const key = where.includes('agents') ? keys.agents : keys.tokens
    assertAnswered(await send(service, { path: url, headers: { 'x-api-key': key } }))
  })
  await fc.assert(property, { numRuns: RUNS })
})

test('no JSON of an administrator who is known leads to a 5xx', async () => {
  const { key } = await service.createApiKey('agents:write')
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const member = fc.constantFrom('name', 'scope', 'default_scope', 'resources', 'labels', 'owner', '__proto__', 'x')
  const json = fc.dictionary(member, fc.oneof(fc.jsonValue(), fc.string({ unit: 'grapheme' })))
  const sent = fc.oneof(
    json.map(members => JSON.stringify(members)),
    fc.string({ unit: 'grapheme' }),
  )
  const property = fc.asyncProperty(sent, async text => {
    assertAnswered(await send(service, { method: 'POST', path: '/api/v1/agents', headers, body: text }))
  })
  await fc.assert(property, { numRuns: RUNS })
})
