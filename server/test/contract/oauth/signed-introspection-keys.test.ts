// Signed introspection answers (RFC 9701) across a rotation: by the key that signs now, whatever its algorithm.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { get, introspect, issue, postForm, revoke } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const SIGNED = 'application/token-introspection+jwt'

type ApiKey = { readonly id: string; readonly key: string }

const ask = async (service: TestServer, { key }: ApiKey, token: string): Promise<string> => {
  const headers = { accept: SIGNED, 'x-api-key': key }
  const answer = await postForm(service, '/oauth/introspect/v2', { token }, headers)
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, SIGNED])
  return answer.text
}

/** As a resource server verifies that knows nothing but the metadata and the key set. */
const verify = async (service: TestServer, answer: string, audience: string): Promise<unknown> => {
  const { json: metadata } = await get(service, '/.well-known/oauth-authorization-server')
  const { json: keySet } = await get(service, '/.well-known/jwks.json')
  const { payload } = await jwtVerify(answer, createLocalJWKSet(keySet as JSONWebKeySet), {
    typ: 'token-introspection+jwt',
    issuer: service.baseUrl,
    audience,
    algorithms: (metadata as { introspection_signing_alg_values_supported: string[] })
      .introspection_signing_alg_values_supported,
    currentDate: new Date(service.clock.wall()),
  })
  return payload['token_introspection']
}

for (const algorithm of ['RS256', 'EdDSA', 'ML-DSA-65'] as const) {
  test(`${algorithm}: once its key signs, it signs the answers about tokens of every key, and the metadata says so`, async t => {
    const service = await startServer({ config: { signingKeys: { algorithm, rotationDays: null } } })
    t.after(() => service.close())
    const [agent, apiKey] = [await service.createAgent(), await service.createApiKey('tokens:introspect')]
    const former = await issue(service, agent)
    const before = await ask(service, apiKey, former)
    const rotation = { method: 'POST', path: '/api/v1/keys/rotate', body: { force: true } }
    const rotated = (await call(service, rotation, await admin(service))).json as { kid: string }
    const tokens = [former, await issue(service, agent)]
    assert.deepEqual(
      tokens.map(token => decodeProtectedHeader(token).alg),
      ['ES256', algorithm],
    )
    for (const token of tokens) {
      const plain = (await introspect(service, apiKey.key, token)).json as { active: boolean }
      assert.equal(plain.active, true)
      const answer = await ask(service, apiKey, token)
      const header = { alg: algorithm, kid: rotated.kid, typ: 'token-introspection+jwt' }
      assert.deepEqual(decodeProtectedHeader(answer), header)
      assert.deepEqual(await verify(service, answer, apiKey.id), plain)
      assert.deepEqual((await introspect(service, apiKey.key, answer)).json, { active: false })
      assert.equal((await revoke(service, answer)).text, '{}')
    }
    assert.equal(decodeProtectedHeader(before).alg, 'ES256')
    const { active } = (await verify(service, before, apiKey.id)) as { active: boolean }
    assert.equal(active, true, 'An answer by the former key verifies as long as its tokens do.')
  })
}
