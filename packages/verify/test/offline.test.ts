// Mode `offline`: the signature and the claims, without a call for each token.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import { ANCESTORS_MAX, AUDIENCES_MAX, SCOPE_ITEMS_MAX } from '../src/tokens/claims.ts'
import { COMPACT_CHARACTERS_MAX } from '../src/readers/compact-jws.ts'
import { assertVerified, makeRuntime, refusalOf, usePublisher, verifierOf, verifyAs } from './fixtures.ts'
import { AUDIENCE, makeId, startPublisher } from '../../../testkit/feed/reference-publisher.ts'

const publisher = usePublisher()

test('a token of the issuer is verified by the key set, which is read once', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const readings = publisher.count('/.well-known/jwks.json')
  const { token, claims } = publisher.mint()
  const results = await Promise.all([1, 2, 3].map(() => verifier.verify(token, { scopes: ['db:read'] })))
  for (const result of results) {
    assertVerified(result, 'signature')
    assert.deepEqual({ ...result.claims }, { ...claims })
    assert.deepEqual(result.scopes, ['db:read', 'db:write'])
  }
  assert.equal(publisher.count('/.well-known/jwks.json'), readings + 1)
})

for (const alg of ['RS256', 'PS256', 'EdDSA']) {
  test(`a token under ${alg} is verified`, async t => {
    const other = await startPublisher(alg)
    t.after(() => other.close())
    assertVerified(await verifierOf(t, other, { mode: 'offline' }).verify(other.mint().token))
  })
}

test('the claims that are handed out cannot be changed for the next caller', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const minted = publisher.mint({ aud: [AUDIENCE, 'https://other.example'], roles: ['reader'] })
  const result = await verifier.verify(minted.token)
  assertVerified(result)
  assert.deepEqual(result.claims['roles'], ['reader'])
  assert.throws(() => (result.claims['roles'] as string[]).push('admin'), TypeError)
  assert.throws(() => Object.assign(result.claims, { sub: 'somebody' }), TypeError)
  assert.throws(() => (result.claims.aud as string[]).push('https://evil.example'), TypeError)
  assert.throws(() => (result.scopes as string[]).push('db:admin'), TypeError)
})

test('a token is valid until the last millisecond before exp, seen before or not', async t => {
  const runtime = makeRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'offline', runtime })
  const { token, claims } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 100 })
  const at = (ms: number): void => runtime.step(ms - runtime.wallMs())
  // The clock goes on by itself for some ms while the token is verified.
  at(claims.exp * 1000 - 900)
  assert.equal(await verifyAs(verifier, token), 'signature')
  at(claims.exp * 1000)
  assert.equal(await verifyAs(verifier, token), 'expired')
  assert.equal(verifier.status().cachedTokens, 0)
})

const now = (): number => Math.floor(Date.now() / 1000)
const ancestor = () => ({
  id: makeId(Date.now()),
  exp: now() + 300,
  seq: 1,
  agent_id: 'a',
  credential_id: 'c',
  kid: 'k',
})
const othersOf = (count: number): readonly string[] => Array.from({ length: count }, () => 'https://a.example')
const scopeOf = (items: number): string => Array.from({ length: items }, (_, n) => `db:${n}`).join(' ')
const actorOf = (depth: number): object => (depth === 0 ? { sub: 'a' } : { sub: 'a', act: actorOf(depth - 1) })

const GOOD_CLAIMS: Readonly<Record<string, () => object>> = {
  'the audience in an array': () => ({ aud: ['https://other.example', AUDIENCE] }),
  'as many audiences as may be': () => ({ aud: [AUDIENCE, ...othersOf(AUDIENCES_MAX - 1)] }),
  'as many scope items as may be': () => ({ scope: scopeOf(SCOPE_ITEMS_MAX) }),
  'no scope': () => ({ scope: undefined }),
  'as many ancestors as may be': () => ({ lineage: Array.from({ length: ANCESTORS_MAX }, ancestor) }),
  'as many actors as may be': () => ({ act: actorOf(ANCESTORS_MAX) }),
  'nbf that has passed': () => ({ nbf: now() - 1 }),
  'a claim that is not known': () => ({ tenant: { id: 1 } }),
}

for (const [what, claims] of Object.entries(GOOD_CLAIMS)) {
  test(`accepted: ${what}`, async t => {
    assertVerified(await verifierOf(t, publisher, { mode: 'offline' }).verify(publisher.mint({ ...claims() }).token))
  })
}

const BAD_CLAIMS: Readonly<Record<string, readonly [refusal: string, claims: () => object]>> = {
  'one audience too many': ['bad_claims', () => ({ aud: [AUDIENCE, ...othersOf(AUDIENCES_MAX)] })],
  'one scope item too many': ['bad_claims', () => ({ scope: scopeOf(SCOPE_ITEMS_MAX + 1) })],
  'two spaces in scope': ['bad_claims', () => ({ scope: 'db:read  db:write' })],
  'one ancestor too many': ['bad_claims', () => ({ lineage: Array.from({ length: ANCESTORS_MAX + 1 }, ancestor) })],
  'an empty lineage': ['bad_claims', () => ({ lineage: [] })],
  'an ancestor without seq': ['bad_claims', () => ({ lineage: [{ ...ancestor(), seq: undefined }] })],
  'one actor too many': ['bad_claims', () => ({ act: actorOf(ANCESTORS_MAX + 1) })],
  'an actor without sub': ['bad_claims', () => ({ act: {} })],
  'exp not after iat': ['bad_claims', () => ({ exp: now(), iat: now() })],
  'exp with a fraction': ['bad_claims', () => ({ exp: now() + 100.5 })],
  'no iat': ['bad_claims', () => ({ iat: undefined })],
  'no jti': ['bad_claims', () => ({ jti: undefined })],
  'a jti that is no UUIDv7': ['bad_claims', () => ({ jti: '0198d4c2-0000-4000-8000-000000000001' })],
  'a jti in capital letters': ['bad_claims', () => ({ jti: makeId(Date.now()).toUpperCase() })],
  'no client_id': ['bad_claims', () => ({ client_id: undefined })],
  'a negative seq': ['bad_claims', () => ({ seq: -1 })],
  'a binding that is not known': ['bad_claims', () => ({ cnf: { jwk: {} } })],
  'two bindings': ['bad_claims', () => ({ cnf: { jkt: 'A'.repeat(43), 'x5t#S256': 'A'.repeat(43) } })],
  'an empty binding': ['bad_claims', () => ({ cnf: {} })],
  'iat far in the future': ['not_yet_valid', () => ({ iat: now() + 200, exp: now() + 300 })],
  'another issuer': ['wrong_issuer', () => ({ iss: 'https://other.example' })],
  'another audience': ['wrong_audience', () => ({ aud: 'https://other.example' })],
}

for (const [what, [refusal, claims]] of Object.entries(BAD_CLAIMS)) {
  test(`refused: ${what}`, async t => {
    const result = await verifierOf(t, publisher, { mode: 'offline' }).verify(publisher.mint({ ...claims() }).token)
    assert.equal(refusalOf(result), refusal)
  })
}

test('a text of the longest form is read, and one character more is not', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const lengthOf = (filling: number): number => publisher.mint({ filling: 'x'.repeat(filling) }).token.length
  const most = Math.floor(((COMPACT_CHARACTERS_MAX - lengthOf(0)) * 3) / 4) + 2
  const fillings = Array.from({ length: 6 }, (_, n) => most - n).map(
    n => publisher.mint({ filling: 'x'.repeat(n) }).token,
  )
  const longest = fillings.filter(token => token.length <= COMPACT_CHARACTERS_MAX)
  const tooLong = fillings.filter(token => token.length > COMPACT_CHARACTERS_MAX)
  assert.ok(longest.length > 0 && tooLong.length > 0)
  for (const token of longest) assert.equal(await verifyAs(verifier, token), 'signature')
  for (const token of tooLong) assert.equal(await verifyAs(verifier, token), 'malformed')
})

test('whatever is given for a token is a refusal, and never an exception', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const odd: readonly unknown[] = [
    undefined,
    '',
    null,
    1,
    {},
    [],
    '..',
    'a.b.c',
    '\u0000',
    '\ud800.a.b',
    '.'.repeat(15_999),
    'a'.repeat(1_000_000),
  ]
  for (const token of odd) {
    const result = await verifier.verify(token as string)
    assert.ok(!result.ok && result.status === 401, String(token).slice(0, 20))
  }
})

test('a hook that rejects changes nothing, and is a failure that is counted', async t => {
  const reject = (): Promise<never> => Promise.reject(new Error('no log'))
  const hooks = { verified: reject, refused: reject, changed: reject, failed: reject }
  const verifier = verifierOf(t, publisher, { mode: 'offline', hooks })
  assert.equal(await verifyAs(verifier, publisher.mint().token), 'signature')
  assert.equal(await verifyAs(verifier, 'x'), 'malformed')
  // Each was reported to `failed`, which rejected too.
  await until('the hooks have rejected', async () => verifier.status().failures === 4)
})

test('an algorithm that is not among those asked for is refused', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline', algorithms: ['RS256'] })
  assert.equal(await verifyAs(verifier, publisher.mint().token), 'wrong_algorithm')
})

test('a verifier that was closed refuses with 503', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  verifier.close()
  const result = await verifier.verify(publisher.mint().token)
  assert.ok(!result.ok)
  assert.deepEqual([result.refusal, result.status, result.challenge, result.retryAfter], ['closed', 503, undefined, 1])
})
