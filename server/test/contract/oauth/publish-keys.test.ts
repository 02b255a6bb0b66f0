// GET /.well-known/jwks.json: public members only, for caches and for every origin.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateJwkThumbprint, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { type Answer, get, issue, send } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/.well-known/jwks.json'

const service = useService()

const assertPublic = (answer: Answer): void => {
  assert.equal(answer.headers['cache-control'], 'public, max-age=300')
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.match(answer.headers['etag'] ?? '', /^"[0-9a-f]{32}"$/)
  assert.equal(answer.headers['vary'], 'Accept')
  assert.match(answer.headers['x-request-id'] ?? '', /./)
}

test('public members only, the kid is the RFC 7638 thumbprint, and a token verifies with it', async () => {
  const answer = await get(service, PATH)
  assert.equal(answer.status, 200)
  assertPublic(answer)
  const { keys } = answer.json as JSONWebKeySet
  // The one that signs, and the next one.
  assert.equal(keys.length, 2)
  for (const { x, y, kid, ...rest } of keys) {
    assert.deepEqual(rest, { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
    assert.equal(kid, await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }))
  }
  const token = await issue(service, await service.createAgent())
  const currentDate = new Date(service.clock.wall())
  const { payload } = await jwtVerify(token, createLocalJWKSet({ keys }), { currentDate, typ: 'at+jwt' })
  assert.equal(payload.iss, service.baseUrl)
})

test('application/json, or application/jwk-set+json where asked', async () => {
  const json = 'application/json; charset=utf-8'
  const wanted = {
    '*/*': json,
    'application/json, application/jwk-set+json': json,
    'text/html': json,
    'application/jwk-set+json': 'application/jwk-set+json',
    'application/json;q=0.5, Application/JWK-Set+json': 'application/jwk-set+json',
    'application/jwk-set+json;q=0': json,
  }
  const plain = await get(service, PATH)
  assert.equal(plain.headers['content-type'], json)
  for (const [accept, expected] of Object.entries(wanted)) {
    const answer = await get(service, PATH, { accept })
    assert.deepEqual([answer.headers['content-type'], answer.text], [expected, plain.text], accept)
  }
})

test('ETag and conditional GET: 304 without a body for a tag that the caller has', async () => {
  const { headers } = await get(service, PATH)
  const etag = headers['etag'] ?? ''
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await get(service, PATH, { 'if-none-match': known })
    assert.equal(answer.status, 304, known)
    assert.equal(answer.text, '')
    assertPublic(answer)
  }
  assert.equal((await get(service, PATH, { 'if-none-match': '"other"' })).status, 200)
})

test('HEAD: the headers of GET and no body', async () => {
  const [head, whole] = [await send(service, { method: 'HEAD', path: PATH }), await get(service, PATH)]
  assert.equal(head.status, 200)
  assert.equal(head.text, '')
  for (const name of ['etag', 'cache-control', 'content-type', 'content-length', 'access-control-allow-origin']) {
    assert.equal(head.headers[name], whole.headers[name], name)
  }
})

test('CORS *: a preflight is answered 204', async () => {
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
  const answer = await send(service, { method: 'OPTIONS', path: PATH, headers })
  assert.equal(answer.status, 204)
  assert.equal(answer.text, '')
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD')
})

test('the key set needs no credential and asks for none', async () => {
  const answer = await get(service, PATH, { authorization: 'Bearer nonsense', 'x-api-key': 'nonsense' })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.challenges, [])
})
