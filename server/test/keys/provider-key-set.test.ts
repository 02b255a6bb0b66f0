// A provider's keys over real HTTP: where they are looked for, and what happens when they cannot be had.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DEFAULT_ROLE_CLAIM, DEFAULT_ROLES } from '../../src/config/provider.ts'
import { PROVIDER_ALGORITHMS } from '../../../api/values/algorithms.ts'
import type { OperatorCaller } from '../../src/domain/caller.ts'
import { Unavailable } from '../../src/domain/refusal.ts'
import { isProviderAddress } from '../../../packages/verify/src/readers/web-address.ts'
import { makeOperators } from '../../src/keys/providers/identity-providers.ts'
import {
  startIdentityProvider,
  type Failure,
  type IdentityProvider,
} from '../../../testkit/identity-providers/identity-provider.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { keySetsBy } from '../../../testkit/identity-providers/key-sets.ts'

const running: IdentityProvider[] = []
after(() => Promise.all(running.map(provider => provider.close())))

const start = async (...options: Parameters<typeof startIdentityProvider>): Promise<IdentityProvider> => {
  const provider = await startIdentityProvider(...options)
  running.push(provider)
  return provider
}

const operatorOf = (idp: IdentityProvider): OperatorCaller => ({
  kind: 'operator',
  iss: idp.issuer,
  sub: 'operator-1',
  role: 'operator',
})

/** As long as a loaded machine takes to read a key set. */
const PATIENT_MS = 60_000

/** Operators of one provider, with a monotonic clock that the test moves. */
const makeWorld = (idp: IdentityProvider, jwksUri?: string, keyReadingMs = PATIENT_MS) => {
  const clock = { now: 0 }
  const { issuer, audience } = idp
  const provider = {
    issuer,
    audience,
    roleClaim: DEFAULT_ROLE_CLAIM,
    roleSeparator: 'none' as const,
    roles: DEFAULT_ROLES,
    algorithms: PROVIDER_ALGORITHMS,
  }
  const monotonicNow = (): number => clock.now
  const keySets = keySetsBy(fetch, monotonicNow, { ...TIMING, keyReadingMs })
  const providers = [{ ...provider, jwksUri }]
  const made = makeOperators({
    timing: TIMING,
    providers,
    ownIssuer: 'https://mintmark.test',
    keySets,
    now: Date.now,
    monotonicNow,
  })
  return { clock, operators: { verify: (jwt: string) => made.verify(jwt, '192.0.2.1') } }
}

test('the keys of an issuer with a path are found by OpenID Connect discovery, and read once', async () => {
  const idp = await start({ path: '/tenant' })
  const { operators } = makeWorld(idp)
  for (let times = 0; times < 3; times += 1) {
    assert.deepEqual(await operators.verify(await idp.operatorJwt()), operatorOf(idp))
  }
  assert.deepEqual(idp.fetches, { metadata: 1, jwks: 1 })
})

test('the keys of an issuer that ends in a slash are found', async () => {
  const idp = await start({ path: '/' })
  assert.deepEqual(await makeWorld(idp).operators.verify(await idp.operatorJwt()), operatorOf(idp))
})

test('the metadata of RFC 8414 is the second try', async () => {
  const idp = await start({ path: '/tenant', metadata: 'oauth' })
  assert.deepEqual(await makeWorld(idp).operators.verify(await idp.operatorJwt()), operatorOf(idp))
  assert.deepEqual(idp.fetches, { metadata: 1, jwks: 1 })
})

test('with a JWKS address configured no metadata is asked for', async () => {
  const idp = await start()
  assert.deepEqual(await makeWorld(idp, idp.jwksUri).operators.verify(await idp.operatorJwt()), operatorOf(idp))
  assert.deepEqual(idp.fetches, { metadata: 0, jwks: 1 })
})

test('a JWT whose claims are wrong causes no request at all', async () => {
  const idp = await start()
  const { operators } = makeWorld(idp)
  await operators.verify(await idp.operatorJwt({ aud: 'elsewhere' }))
  await operators.verify(await idp.operatorJwt({ exp: 1 }))
  await operators.verify(await idp.operatorJwt({}, { typ: 'logout+jwt' }))
  assert.deepEqual(idp.fetches, { metadata: 0, jwks: 0 })
})

/** What it does, what the log says of it, and what callers hear. */
const FAILURES: readonly (readonly [string, Failure, RegExp, string])[] = [
  ['answers 500', 'error', /answered 500/, 'it answered 500'],
  ['redirects', 'redirect', /answered 302/, 'it answered 302'],
  ['answers half a document', 'malformed', /failed/, 'it answered something other than JSON'],
  ['answers a megabyte', 'oversized', /more than 262144 bytes/, 'it answered more than 262144 bytes'],
  ['does not answer', 'hang', /failed .*time/, 'it did not answer in time'],
]

/** The whole reason is for the log; callers hear whose keys are missing and a cause without any address of a document. */
const isOutage = (issuer: string, reason: RegExp, cause: string) => (error: unknown) => {
  assert.ok(error instanceof Unavailable)
  assert.ok(error.message.includes(issuer))
  assert.match(error.message, reason)
  const reported = error.toCaller ?? ''
  assert.ok(reported.startsWith(`The keys of the identity provider ${issuer} cannot be read: ${cause}. `), reported)
  assert.doesNotMatch(reported, /jwks|well-known/)
  return true
}

for (const [name, failure, reason, cause] of FAILURES) {
  test(`a provider that ${name} makes its operators unavailable, not unknown, until it recovers`, async () => {
    const idp = await start()
    const jwt = await idp.operatorJwt()
    for (const jwksUri of [undefined, idp.jwksUri]) {
      const { clock, operators } = makeWorld(idp, jwksUri, failure === 'hang' ? 50 : PATIENT_MS)
      idp.fail(failure)
      await assert.rejects(operators.verify(jwt), isOutage(idp.issuer, reason, cause))
      idp.recover()
      clock.now = 1000
      const again = makeWorld(idp, jwksUri)
      assert.deepEqual(await again.operators.verify(jwt), operatorOf(idp))
      if (failure !== 'hang') assert.deepEqual(await operators.verify(jwt), operatorOf(idp))
    }
  })
}

test('a provider whose port is closed makes its operators unavailable', async () => {
  const idp = await startIdentityProvider()
  const jwt = await idp.operatorJwt()
  await idp.close()
  await assert.rejects(
    makeWorld(idp).operators.verify(jwt),
    isOutage(idp.issuer, /ECONNREFUSED/, 'its host refused the connection'),
  )
})

test('metadata that names another issuer is not followed', async () => {
  const idp = await start()
  idp.fail('other_issuer')
  await assert.rejects(makeWorld(idp).operators.verify(await idp.operatorJwt()), /its metadata names another issuer/)
  assert.equal(idp.fetches.jwks, 0)
})

test('10,000 forged key ids cause two requests for keys, and a rotation in their midst is honored', async () => {
  const idp = await start()
  const { clock, operators } = makeWorld(idp, idp.jwksUri)
  const noKey = { refused: 'the provider has no key that fits kid and alg' }
  const forged = await Promise.all(Array.from({ length: 100 }, (_, n) => idp.operatorJwt({}, { kid: `forged-${n}` })))
  const before = await idp.operatorJwt()
  let rotated = ''
  for (let round = 0; round < 100; round += 1) {
    clock.now = round * 300
    const answers = await Promise.all(forged.map(jwt => operators.verify(jwt)))
    assert.ok(answers.every(answer => 'refused' in answer))
    if (round === 50) {
      await idp.rotate()
      rotated = await idp.operatorJwt()
      assert.deepEqual(await operators.verify(rotated), noKey)
      assert.deepEqual(await operators.verify(before), operatorOf(idp))
    }
  }
  assert.equal(idp.fetches.jwks, 2)
  clock.now = TIMING.keyTwoReadingsMs
  assert.deepEqual(await operators.verify(rotated), operatorOf(idp))
  assert.equal(idp.fetches.jwks, 3)
  assert.deepEqual(await operators.verify(before), noKey)
})

test('keys come over https, or over http from this machine', () => {
  const allowed = ['https://a.test/x', 'http://localhost:1/x', 'http://127.0.0.1', 'http://127.1.2.3/', 'http://[::1]/']
  const refused = ['http://a.test', 'http://127.0.0.1.a.test/', 'http://localhost.a.test', 'ftp://127.0.0.1', 'x', '']
  refused.push('data:application/json,{}', 'https://user@a.test/', 'http://0.0.0.0/', 'http://[::]/', 'http://10.0.0.1')
  for (const address of allowed) assert.equal(isProviderAddress(address), true, address)
  for (const address of refused) assert.equal(isProviderAddress(address), false, address)
})

test('of a key only the members that are read are kept, however much and however deep the rest of the set is', async () => {
  const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: '1', alg: 'ES256', use: 'sig' }
  const keys = [
    { ...key, key_ops: ['sign', 'verify', 'verify'], x5c: ['certificate'], note: '*' },
    { ...key, kid: '*', key_ops: '*', d: '*' },
    { ...key, kid: 'x'.repeat(1401) },
    '*',
  ]
  // Deeper than what is copied from one thread to another may be.
  const nested = '['.repeat(20_000) + ']'.repeat(20_000)
  const body = JSON.stringify({ keys }).replaceAll('"*"', nested)
  const sets = keySetsBy(
    () => Promise.resolve(new Response(body)),
    () => 0,
  )
  const place = { of: 'provider', issuer: 'https://a.example', jwksUri: 'https://a.example/keys' } as const
  const { jwks, failure } = await sets.latest(place, -Infinity)
  assert.equal(failure, null)
  assert.deepEqual(structuredClone(jwks), [
    { ...key, key_ops: ['verify'] },
    { ...key, kid: null, key_ops: [], d: null },
    { ...key, kid: null },
    null,
  ])
})
