// Credentials that trust keys or workloads: what can be registered, and what is refused before anything is kept.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { admin, call } from '../support/administration.ts'
import { askAsserting, createTrust, credentialsOf, makeAssertion, registerKeys } from '../support/client-assertions.ts'
import { makeProofKey } from '../support/dpop.ts'
import { assertProblem } from '../support/requests.ts'
import { countRows } from '../support/store-file.ts'
import { type AgentOfTest, startServer, type TestServer } from '../support/test-server.ts'

const key = makeProofKey()

let service: TestServer
let agent: AgentOfTest

before(async () => {
  service = await startServer()
})

beforeEach(async () => {
  agent = await service.createAgent()
})

after(() => service.close())

const BAD_KEYS: Readonly<Record<string, readonly [object, string]>> = {
  'no key': [{ keys: [] }, 'has not 1 to 10 keys'],
  'eleven keys': [
    { keys: Array.from({ length: 11 }, (_, n) => ({ ...key.jwk, kid: `${n}` })) },
    'has not 1 to 10 keys',
  ],
  'a private key': [
    { keys: [key.privateKey.export({ format: 'jwk' })] },
    'holds a private key, which nobody but its owner may have: make another, and register its public half',
  ],
  'a symmetric key': [
    { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
    'holds a private key, which nobody but its owner may have: make another, and register its public half',
  ],
  'a short RSA key': [
    { keys: [makeProofKey('RS256', 1024).jwk] },
    'holds something other than a public key for signatures of a kind and strength that is taken',
  ],
  'a key for encryption': [
    { keys: [{ ...key.jwk, use: 'enc' }] },
    'holds something other than a public key for signatures of a kind and strength that is taken',
  ],
  'two keys of one kid': [{ keys: [key.jwk, makeProofKey().jwk] }, 'holds two keys with the same kid'],
}

for (const [name, [jwks, why]] of Object.entries(BAD_KEYS)) {
  test(`${name} cannot be registered, and nothing is changed`, async () => {
    const credentials = countRows(service.storeFile, 'credential')
    const answer = await createTrust(service, agent, { private_key_jwt: { jwks } })
    assertProblem(answer, 400, 'invalid_request', `private_key_jwt.jwks ${why}.`)
    assert.equal(countRows(service.storeFile, 'credential'), credentials)
    assert.ok(!answer.text.includes(String(key.privateKey.export({ format: 'jwk' }).d)))
  })
}

test('a credential trusts one thing: keys or an address or a workload', async () => {
  const keys = { jwks: { keys: [key.jwk] } }
  const address = { jwks_uri: 'https://keys.example/jwks' }
  const workload = { issuer: 'https://ci.example', subject: 'job:1' }
  const one = 'private_key_jwt has not one of jwks and jwks_uri.'
  const both = 'The body names both private_key_jwt and workload_identity: choose one.'
  for (const [body, description] of [
    [{ private_key_jwt: { ...keys, ...address } }, one],
    [{ private_key_jwt: {} }, one],
    [{ private_key_jwt: keys, workload_identity: workload }, both],
  ] as const) {
    assertProblem(await createTrust(service, agent, body), 400, 'invalid_request', description)
  }
})

test('a credential with keys cannot be rotated: another takes its place', async () => {
  const id = await registerKeys(service, agent, [key.jwk])
  const path = `${credentialsOf(agent)}/${id}/rotate`
  const answer = await call(service, { method: 'POST', path, body: { grace_seconds: 0 } }, await admin(service))
  const description = 'The credential is no secret: create another, and revoke this one.'
  assertProblem(answer, 400, 'invalid_request', description)
  assert.equal((await askAsserting(service, makeAssertion(service, agent, key))).status, 200)
})

const BAD: Readonly<Record<string, object>> = {
  'an issuer over http': { issuer: 'http://ci.example' },
  'an issuer with a query': { issuer: 'https://ci.example?a=b' },
  'an issuer with a password': { issuer: 'https://a:b@ci.example' },
  'an issuer that is too long': { issuer: `https://ci.example/${'x'.repeat(512)}` },
  'an empty subject': { subject: '' },
  'a subject of everything': { subject: '*' },
  'a beginning that is too short': { subject: 'abc*' },
  'a * inside': { subject: 'repo:*/site' },
  'two of them': { subject: 'repo:acme/**' },
  'a blank in the subject': { subject: 'repo acme' },
  'a subject that is too long': { subject: 'x'.repeat(513) },
  'an empty audience': { audience: '' },
  'an address of keys over http': { jwks_uri: 'http://ci.example/jwks' },
  'an address of keys with a fragment': { jwks_uri: 'https://ci.example/jwks#a' },
}

for (const [name, more] of Object.entries(BAD)) {
  test(`${name} cannot be configured`, async () => {
    const credentials = countRows(service.storeFile, 'credential')
    const workload = { issuer: 'https://ci.example', subject: 'repo:acme/site', ...more }
    const answer = await createTrust(service, agent, { workload_identity: workload })
    assert.deepEqual([answer.status, (answer.json as { error: string }).error], [400, 'invalid_request'], answer.text)
    assert.equal(countRows(service.storeFile, 'credential'), credentials)
  })
}
