// Keys of a client at an address: fetched safely, held, read again for a new kid, and never by hostile servers' leave.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { beforeEach, test } from 'node:test'
import { thumbprintOf } from '../../../src/keys/tokens/thumbprint.ts'
import {
  askAsserting,
  assertRefused,
  createTrust,
  makeAssertion,
  registerKeys,
  trust,
} from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey, type ProofKey } from '../../../../testkit/keys/dpop.ts'
import {
  type Failure,
  type IdentityProvider,
  startIdentityProvider,
} from '../../../../testkit/identity-providers/identity-provider.ts'
import { generateKeys } from '../../../../testkit/keys/make-certificate.ts'
import { type Answer, assertError, assertProblem, issue } from '../../../../testkit/callers/requests.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { type AgentOfTest, startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const STEPS = 20
const AT_ONCE = isThorough ? 50 : 15

const key = makeProofKey()

const service = useService()
let home: IdentityProvider
let agent: AgentOfTest

beforeEach(async () => {
  home = await startIdentityProvider({ algorithms: ['ES256'] })
  home.publicJwks.splice(0, Infinity, { ...key.jwk, kid: 'one' })
  agent = await service.createAgent()
  await trust(service, agent, { private_key_jwt: { jwks_uri: home.jwksUri } })
})

const ask = (by: ProofKey = key, kid = 'one'): Promise<Answer> =>
  askAsserting(service, makeAssertion(service, agent, by, { header: { kid } }))

const assertAsked = (answer: Answer): void => assert.equal(answer.status, 200, answer.text)

test('keys at the address are read once and held', async t => {
  t.after(() => home.close())
  for (let n = 0; n < 5; n += 1) assertAsked(await ask())
  assert.deepEqual(home.fetches, { metadata: 0, jwks: 1 })
})

test('of a set at the address a key without a kid is known by its thumbprint, and one of another kind is passed over', async t => {
  t.after(() => home.close())
  const unnamed = makeProofKey()
  const x25519 = generateKeys('x25519').publicKey.export({ format: 'jwk' })
  home.publicJwks.splice(0, Infinity, x25519, { ...key.jwk, alg: 'RS256' }, unnamed.jwk)
  assertAsked(await ask(unnamed, thumbprintOf(unnamed.jwk)))
  assertRefused(await ask(key, thumbprintOf(key.jwk)))
})

test('a new key at the address is taken at once, and one that is gone no longer than it is held', async t => {
  t.after(() => home.close())
  assertAsked(await ask())
  const next = makeProofKey()
  home.publicJwks.splice(0, Infinity, { ...next.jwk, kid: 'two' })
  service.clock.advance(16_000)
  assertAsked(await ask(next, 'two'))
  assertRefused(await ask())
})

test(`${STEPS * AT_ONCE} assertions with random kids cause at most two readings in 30 s, and a real rotation is honored`, async t => {
  t.after(() => home.close())
  assertAsked(await ask())
  for (let step = 0; step < STEPS; step += 1) {
    const flood = Array.from({ length: AT_ONCE }, (_, i) => ask(key, `unknown ${step * AT_ONCE + i}`))
    for (const answer of await Promise.all(flood)) assertRefused(answer)
    service.clock.advance(29_000 / STEPS)
  }
  assert.ok(home.fetches.jwks <= 2, String(home.fetches.jwks))
  const next = makeProofKey()
  home.publicJwks.push({ ...next.jwk, kid: 'two' })
  service.clock.advance(16_000)
  assertAsked(await ask(next, 'two'))
})

for (const failure of ['error', 'redirect', 'malformed', 'oversized'] as const satisfies readonly Failure[]) {
  test(`keys that a server answers with ${failure} instead of are 503, and taken once it answers`, async t => {
    t.after(() => home.close())
    home.fail(failure)
    const answer = await ask()
    // Why stays in the log: a client that registers an address must not learn what stands at others of our network.
    assertError(answer, 503, 'temporarily_unavailable', 'The service cannot answer for certain right now: try again.')
    assert.equal(answer.headers['retry-after'], '1')
    home.recover()
    service.clock.advance(1000)
    assertAsked(await ask())
  })
}

const fillSet = (count: number): void => {
  const others = Array.from({ length: count - 1 }, (_, n) => ({ ...key.jwk, kid: `other ${n}` }))
  home.publicJwks.splice(0, Infinity, ...others, { ...key.jwk, kid: 'one' })
}

test('a set of 64 keys is taken; of 65 none is, the answer is 503, and the log says why', async t => {
  t.after(() => home.close())
  fillSet(65)
  const answer = await ask()
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
  assert.ok(service.log().includes(`${home.jwksUri} answered a set of 65 keys, and at most 64 are taken`))
  fillSet(64)
  service.clock.advance(1000)
  assertAsked(await ask())
})

test('a key with an exponent of 100,000 bytes is no key, and the others of its set are taken', async t => {
  t.after(() => home.close())
  const e = Buffer.alloc(100_000, 255).toString('base64url')
  home.publicJwks.push({ ...makeProofKey('RS256').jwk, e, kid: 'long' })
  assertRefused(await ask(makeProofKey('RS256'), 'long'))
  assertAsked(await ask())
})

test('a server that hangs holds 128 of its own requests and nobody else', async t => {
  t.after(() => home.close())
  home.fail('hang')
  const asked = Array.from({ length: 200 }, () => ask())
  assert.equal((await Promise.race(asked)).status, 503)
  assert.ok(service.log().includes('More client assertions wait for the keys of their clients than are taken.'))
  await issue(service, agent)
  const other = await service.createAgent()
  await registerKeys(service, other, [key.jwk])
  assertAsked(await askAsserting(service, makeAssertion(service, other, key)))
  await home.close()
  for (const answer of await Promise.all(asked)) assert.equal(answer.status, 503)
})

test('a registered key is taken though the keys of another credential cannot be had', async t => {
  t.after(() => home.close())
  home.fail('error')
  const registered = makeProofKey()
  await registerKeys(service, agent, [registered.jwk])
  assertAsked(await askAsserting(service, makeAssertion(service, agent, registered)))
  assert.equal(home.fetches.jwks, 0)
})

test('an address in a private network, by number or by name, sees no connection and is 503', async t => {
  t.after(() => home.close())
  let connections = 0
  const listener = createServer().on('connection', () => {
    connections += 1
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' ? address?.port : 0
  const closed = await startServer({ config: { clientKeyRanges: [] } })
  t.after(async () => {
    listener.close()
    await closed.close()
  })
  for (const host of ['127.0.0.1', 'localhost', '127.8.9.10']) {
    const own = await closed.createAgent()
    await trust(closed, own, { private_key_jwt: { jwks_uri: `https://${host}:${port}/jwks` } })
    assert.equal((await askAsserting(closed, makeAssertion(closed, own, key))).status, 503)
  }
  assert.equal(connections, 0)
  assert.ok(closed.log().includes("no address for everybody's use"))
})

test('an address of another form cannot be configured', async t => {
  t.after(() => home.close())
  const description = 'private_key_jwt.jwks_uri is not an https address without a password, of at most 512 characters.'
  for (const jwksUri of [
    'http://keys.example/jwks',
    'file:///etc/passwd',
    'data:application/json,{}',
    'https://a:b@keys.example/',
    'https://keys.example/#a',
    `https://keys.example/${'x'.repeat(512)}`,
    'https://keys.example/a b',
    'keys.example',
    '',
  ]) {
    const answer = await createTrust(service, agent, { private_key_jwt: { jwks_uri: jwksUri } })
    assertProblem(answer, 400, 'invalid_request', description)
  }
})
