// The key set: read rarely, read again when it must be, and never at the command of strangers.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { SIGNING_ALGORITHMS } from '../../../api/values/algorithms.ts'
import { makeProofKey } from '../../../testkit/keys/dpop.ts'
import { until } from '../../../testkit/processes/until.ts'
import { DOUBTS_AT_ONCE_MAX } from '../src/token-verifier.ts'
import { isAlgorithm, KEYS_MAX, READING_MS_MAX, UNKNOWN_KID_COOLDOWN_MS } from '../src/tokens/key-set.ts'
import type { Fetch } from '../src/wire/http.ts'
import type { Runtime } from '../src/wire/runtime.ts'
import { makeRuntime, verifierOf, verifyAs } from './fixtures.ts'
import { type Members, type Publisher, startPublisher } from '../../../testkit/feed/reference-publisher.ts'

const PATH = '/.well-known/jwks.json'

const open = async (t: TestContext): Promise<Publisher> => {
  const publisher = await startPublisher()
  t.after(() => publisher.close())
  return publisher
}

test('each algorithm that the service signs with is one that verifiers take', () => {
  assert.deepEqual(
    SIGNING_ALGORITHMS.filter(name => !isAlgorithm(name)),
    [],
  )
})

test('10,000 forged tokens with key ids that nobody has cause two readings, and a rotation in the flood is seen', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime })
  assert.equal(await verifyAs(verifier, publisher.mint().token), 'signature')
  assert.equal(publisher.count(PATH), 1)
  const [, payload, signature] = publisher.mint().token.split('.')
  const forge = (n: number): string => {
    const header = JSON.stringify({ alg: 'ES256', kid: `forged-${n}`, typ: 'at+jwt' })
    return `${Buffer.from(header).toString('base64url')}.${payload}.${signature}`
  }
  for (let n = 0; n < 10_000; n += 1) {
    assert.equal(await verifyAs(verifier, forge(n)), n < 2 ? 'unknown_key' : 'key_pending')
  }
  assert.equal(publisher.count(PATH), 3)
  publisher.keys = [...publisher.keys, { ...publisher.keys[0], kid: 'next' }]
  const rotated = publisher.mint({}, { kid: 'next' })
  // Whether there is such a key cannot be known here: that is no reason to call a live token invalid.
  assert.equal(await verifyAs(verifier, rotated.token), 'key_pending')
  runtime.pass(UNKNOWN_KID_COOLDOWN_MS)
  assert.equal(await verifyAs(verifier, rotated.token), 'signature')
  assert.equal(publisher.count(PATH), 4)
})

test('while the set may not be read again the service is asked about tokens of a new key, by a few at once', async t => {
  const publisher = await open(t)
  const verifier = verifierOf(t, publisher)
  await verifier.ready()
  for (const kid of ['second', 'third']) {
    publisher.keys = [{ ...publisher.keys[0], kid }]
    assert.equal(await verifyAs(verifier, publisher.mint({}, { kid }).token), 'feed')
  }
  const { token } = publisher.mint({}, { kid: 'fourth' })
  assert.equal(await verifyAs(verifier, token), 'introspection')
  publisher.introspect = () => ({ active: false })
  assert.equal(await verifyAs(verifier, token), 'inactive')
  const many = await Promise.all(Array.from({ length: 100 }, () => verifyAs(verifier, token)))
  assert.deepEqual([...new Set(many)].toSorted(), ['inactive', 'key_pending'])
  assert.equal(many.filter(one => one === 'inactive').length, DOUBTS_AT_ONCE_MAX)
})

test('a set that grows too old while it is read for an unknown key vouches for none', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const stepping: Fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (publisher.count(PATH) === 2) runtime.step(7_200_000)
    return response
  }
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime, fetch: stepping })
  assert.equal(await verifyAs(verifier, publisher.mint().token), 'signature')
  publisher.keys = [...publisher.keys, { ...publisher.keys[0], kid: 'next' }]
  const exp = Math.floor(Date.now() / 1000) + 100_000
  assert.equal(await verifyAs(verifier, publisher.mint({ exp }, { kid: 'next' }).token), 'keys_unavailable')
})

test('what was verified by a key that is gone from the set is verified again, and refused', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime })
  const { token } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
  assert.equal(await verifyAs(verifier, token), 'signature')
  publisher.keys = [{ ...publisher.keys[0], kid: 'next' }]
  runtime.pass(301_000)
  // It is read in the background, when a token comes.
  await until('the set was read', async () => (await verifyAs(verifier, token)) === 'unknown_key')
})

test('a set that may be a minute old is read again within it', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime, maxKeyAge: 60 })
  const { token } = publisher.mint()
  assert.equal(await verifyAs(verifier, token), 'signature')
  runtime.pass(31_000)
  assert.equal(await verifyAs(verifier, token), 'signature')
  await until('the set was read again', async () => publisher.count(PATH) === 2)
})

test('while the service is down its keys are believed up to maxKeyAge, and then no more', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime, maxKeyAge: 600 })
  const { token } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
  assert.equal(await verifyAs(verifier, token), 'signature')
  publisher.fault = request => Boolean(request.socket.destroy())
  runtime.pass(599_000 - (verifier.status().keysAgeMs ?? 0))
  assert.equal(await verifyAs(verifier, token), 'signature')
  runtime.pass(1001)
  assert.equal(await verifyAs(verifier, token), 'keys_unavailable')
  publisher.fault = undefined
  runtime.pass(5000)
  assert.equal(await verifyAs(verifier, token), 'signature')
})

/** Makes a runtime that stops like a worker: what a request began and did not wait for is stopped, with its timers, and never ends. */
const makeStoppingRuntime = () => {
  const passing = makeRuntime()
  const { monotonicMs, wallMs, random, pass } = passing
  let isStopped = false
  const runtime: Runtime = {
    monotonicMs,
    wallMs,
    random,
    after: (ms, call) => (isStopped ? () => undefined : passing.after(ms, call)),
  }
  const load: Fetch = (url, init) => (isStopped ? new Promise(() => undefined) : fetch(url, init))
  const stop = (does: boolean): void => {
    isStopped = does
  }
  return { runtime, load, pass, stop }
}

test('a reading of the set that is lost with the request that began it is begun anew by a later one', {
  timeout: 20_000,
}, async t => {
  const publisher = await open(t)
  const { runtime, load, pass, stop } = makeStoppingRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime, fetch: load })
  const { token } = publisher.mint()
  stop(true)
  void verifier.verify(token)
  stop(false)
  pass(READING_MS_MAX)
  assert.equal(await verifyAs(verifier, token), 'signature')
})

test('where a reading in the background is lost, a later token waits for another one', { timeout: 20_000 }, async t => {
  const publisher = await open(t)
  const { runtime, load, pass, stop } = makeStoppingRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime, fetch: load })
  const { token } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
  assert.equal(await verifyAs(verifier, token), 'signature')
  publisher.keys = [{ ...publisher.keys[0], kid: 'next' }]
  pass(301_000)
  stop(true)
  assert.equal(await verifyAs(verifier, token), 'signature')
  stop(false)
  pass(READING_MS_MAX)
  assert.equal(await verifyAs(verifier, token), 'unknown_key')
})

const rsa = makeProofKey('RS256').jwk

const SETS: Readonly<Record<string, (own: Members) => unknown>> = {
  'no keys': () => ({ keys: [] }),
  'no array': own => ({ keys: own }),
  null: () => null,
  'a private key': own => ({ keys: [{ ...own, d: 'x' }] }),
  'a key for encryption': own => ({ keys: [{ ...own, use: 'enc' }] }),
  'a key without kid': own => ({ keys: [{ ...own, kid: undefined }] }),
  'a key without alg': own => ({ keys: [{ ...own, alg: undefined }] }),
  'a key for another algorithm': own => ({ keys: [{ ...own, alg: 'RS256' }] }),
  'a key for no operation': own => ({ keys: [{ ...own, key_ops: [] }] }),
  'a key with padding in x': own => ({ keys: [{ ...own, x: `${String(own['x'])}=` }] }),
  'a shared secret': own => ({ keys: [{ kty: 'oct', k: 'AAAA', kid: own['kid'], alg: 'HS256' }] }),
  'two keys of one kid': own => ({ keys: [own, { ...makeProofKey().jwk, alg: 'ES256', kid: own['kid'] }] }),
  'an RSA key whose exponent is 1': own => ({ keys: [{ ...rsa, e: 'AQ', alg: 'RS256', kid: own['kid'] }] }),
  'more keys than may be': own => ({ keys: Array.from({ length: KEYS_MAX + 1 }, (_, n) => ({ ...own, kid: `${n}` })) }),
}

for (const [what, make] of Object.entries(SETS)) {
  test(`503 where the key set is not one: ${what}`, async t => {
    const publisher = await open(t)
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    const [own = {}] = publisher.keys
    publisher.fault = (_, response) => Boolean(response.writeHead(200).end(JSON.stringify(make(own))))
    assert.equal(await verifyAs(verifier, publisher.mint().token), 'keys_unavailable')
  })
}

test('a set of as many keys as may be is read, and keys that are not known here are passed over', async t => {
  const publisher = await open(t)
  const [own = {}] = publisher.keys
  const unknown = [
    { kty: 'XX', kid: 'x', alg: 'XX1' },
    { kty: 'AKP', alg: 'ML-DSA-65', pub: 'AAAA', kid: 'y' },
  ]
  publisher.keys = [...unknown, ...Array.from({ length: KEYS_MAX - 3 }, (_, n) => ({ ...own, kid: `${n}` })), own]
  assert.equal(publisher.keys.length, KEYS_MAX)
  assert.equal(await verifyAs(verifierOf(t, publisher, { mode: 'offline' }), publisher.mint().token), 'signature')
})
