// Operators recognized by the JWTs of a real identity provider over HTTP: what passes, and each thing that is refused.
import assert from 'node:assert/strict'
import { createHmac, createPublicKey } from 'node:crypto'
import { after, test } from 'node:test'
import type { OperatorCaller } from '../../src/domain/caller.ts'
import { DEFAULT_ROLE_CLAIM, DEFAULT_ROLES } from '../../src/config/provider.ts'
import { PROVIDER_ALGORITHMS } from '../../../api/values/algorithms.ts'
import { Unavailable } from '../../src/domain/refusal.ts'
import {
  makeOperators,
  type IdentityProvider,
  type OperatorsOptions,
} from '../../src/keys/providers/identity-providers.ts'
import { KEYS_HELD_MILLISECONDS_MAX } from '../../src/keys/providers/provider-key-cache.ts'
import { forgerOf } from '../../../testkit/loads/flood.ts'
import {
  startIdentityProvider,
  type IdentityProvider as RunningProvider,
  type IdentityProviderOptions,
} from '../../../testkit/identity-providers/identity-provider.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { keySetsBy } from '../../../testkit/identity-providers/key-sets.ts'

const NOW = 1_795_000_000_500
const SECONDS = Math.floor(NOW / 1000)
const OWN_ISSUER = 'https://mintmark.test'
const running: RunningProvider[] = []
after(() => Promise.all(running.map(provider => provider.close())))

const start = async (options: IdentityProviderOptions = {}): Promise<RunningProvider> => {
  const provider = await startIdentityProvider({ now: () => NOW, ...options })
  running.push(provider)
  return provider
}

const configured = (provider: RunningProvider, changed: Partial<IdentityProvider> = {}): IdentityProvider => ({
  issuer: provider.issuer,
  audience: provider.audience,
  roleClaim: DEFAULT_ROLE_CLAIM,
  roleSeparator: 'none',
  roles: DEFAULT_ROLES,
  algorithms: PROVIDER_ALGORITHMS,
  ...changed,
})

const operatorsOf = (providers: readonly IdentityProvider[], changed: Partial<OperatorsOptions> = {}) => {
  const times = { now: () => NOW, monotonicNow: () => 0, ...changed }
  const keySets = keySetsBy(fetch, times.monotonicNow)
  const made = makeOperators({ timing: TIMING, providers, ownIssuer: OWN_ISSUER, keySets, ...times })
  return { verify: (jwt: string) => made.verify(jwt, '192.0.2.1') }
}

const idp = await start({ algorithms: PROVIDER_ALGORITHMS })
const operators = operatorsOf([configured(idp)])
const OPERATOR: OperatorCaller = { kind: 'operator', iss: idp.issuer, sub: 'operator-1', role: 'operator' }

const isRefused = async (jwt: string, refused: string, by = operators): Promise<void> =>
  assert.deepEqual(await by.verify(jwt), { refused })

for (const alg of [...PROVIDER_ALGORITHMS, 'EdDSA']) {
  test(`a JWT of the provider signed with ${alg} names its operator`, async () => {
    const kid = alg === 'EdDSA' ? 'Ed25519-1' : `${alg}-1`
    assert.deepEqual(await operators.verify(await idp.operatorJwt({}, { alg, kid })), OPERATOR)
  })
}

for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'application/jwt']) {
  test(`typ ${typ ?? 'absent'} is accepted`, async () => {
    assert.deepEqual(await operators.verify(await idp.operatorJwt({}, { typ })), OPERATOR)
  })
}

for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'at+jwt2', '', null, 1, ['JWT']]) {
  test(`typ ${JSON.stringify(typ)} is refused: it is a JWT for something else`, async () => {
    await isRefused(await idp.operatorJwt({}, { typ }), 'typ is that of another kind of JWT')
  })
}

const WRONG_CLAIMS: readonly (readonly [object, string])[] = [
  [{ iss: 'https://elsewhere.test' }, 'iss is not an identity provider configured here'],
  [{ iss: `${idp.issuer}/` }, 'iss is not an identity provider configured here'],
  [{ iss: [idp.issuer] }, 'iss is not an identity provider configured here'],
  [{ iss: undefined }, 'iss is not an identity provider configured here'],
  [{ iss: OWN_ISSUER }, 'it is an access token of this service'],
  [{ aud: 'https://elsewhere.test' }, 'aud does not name this service'],
  [{ aud: [] }, 'aud does not name this service'],
  [{ aud: [[idp.audience]] }, 'aud does not name this service'],
  [{ aud: `${idp.audience} ` }, 'aud does not name this service'],
  [{ aud: undefined }, 'aud does not name this service'],
  [{ exp: undefined }, 'exp is missing or not a time'],
  [{ exp: String(SECONDS + 300) }, 'exp is missing or not a time'],
  [{ exp: null }, 'exp is missing or not a time'],
  [{ nbf: 'now' }, 'nbf is not a time'],
  [{ iat: null }, 'iat is not a time'],
  [{ cnf: { jkt: 'x' } }, 'it is bound to a key (cnf): send one that is bound to none'],
  [{ cnf: null }, 'it is bound to a key (cnf): send one that is bound to none'],
  [{ sub: undefined }, 'sub is missing or not a plain text'],
  [{ sub: '' }, 'sub is missing or not a plain text'],
  [{ sub: 1 }, 'sub is missing or not a plain text'],
  [{ sub: 'x'.repeat(256) }, 'sub is missing or not a plain text'],
  [{ sub: 'a\0b' }, 'sub is missing or not a plain text'],
  [{ sub: 'a\ud800' }, 'sub is missing or not a plain text'],
]

for (const [claims, refused] of WRONG_CLAIMS) {
  test(`a JWT with ${JSON.stringify(claims).slice(0, 60)} or without it is refused`, async () => {
    await isRefused(await idp.operatorJwt({ ...claims }), refused)
  })
}

const RIGHT_CLAIMS: readonly object[] = [
  { aud: ['https://elsewhere.test', idp.audience] },
  { iat: undefined },
  { exp: SECONDS - 59 },
  { exp: SECONDS - 59.5 },
  { nbf: SECONDS + 60 },
  { iat: SECONDS + 60 },
]

for (const claims of RIGHT_CLAIMS) {
  test(`a JWT with ${JSON.stringify(claims)} passes`, async () => {
    assert.deepEqual(await operators.verify(await idp.operatorJwt({ ...claims })), OPERATOR)
  })
}

test('a clock may be 60 seconds off and not one more', async () => {
  await isRefused(await idp.operatorJwt({ exp: SECONDS - 60 }), 'it has expired')
  await isRefused(await idp.operatorJwt({ exp: SECONDS - 61 }), 'it has expired')
  await isRefused(await idp.operatorJwt({ nbf: SECONDS + 61 }), 'nbf lies in the future')
  await isRefused(await idp.operatorJwt({ iat: SECONDS + 61 }), 'iat lies in the future')
})

test('a subject of 255 characters and a JWT without a role of ours name an operator', async () => {
  const sub = 'x'.repeat(255)
  assert.deepEqual(await operators.verify(await idp.operatorJwt({ sub, role: 'x' })), { ...OPERATOR, sub, role: null })
})

test('a JWT that is changed, cut or spelled otherwise is refused', async () => {
  const jwt = await idp.operatorJwt()
  const [header = '', payload = '', signature = ''] = jwt.split('.')
  const other = (await idp.operatorJwt({ sub: 'other' })).split('.')[1] ?? ''
  await isRefused(`${header}.${other}.${signature}`, 'the signature does not verify')
  await isRefused(`${header}.${payload}.${signature.slice(4)}`, 'the signature does not verify')
  for (const spelled of [` ${jwt}`, `${jwt}=`, `${jwt}\n`, `${jwt}.`, `${header}.${payload}.`, '']) {
    await isRefused(spelled, 'it is not a compact JWS in its canonical form')
  }
})

test('a JWT that passed is refused once it has expired, and once the provider has its key no more', async () => {
  const changing = await start()
  const [clock, age] = [{ now: NOW }, { milliseconds: 0 }]
  const times = { now: () => clock.now, monotonicNow: () => age.milliseconds }
  const jwt = await changing.operatorJwt({ exp: SECONDS + 300 })
  const by = operatorsOf([configured(changing)], times)
  for (let n = 0; n < 2; n += 1) assert.equal('refused' in (await by.verify(jwt)), false)
  clock.now += 361_000
  await isRefused(jwt, 'it has expired', by)
  clock.now = NOW
  await changing.rotate()
  age.milliseconds += KEYS_HELD_MILLISECONDS_MAX
  await isRefused(jwt, 'the provider has no key that fits kid and alg', by)
})

const withHeader = async (header: object, signature?: (input: string) => string): Promise<string> => {
  const [, payload = '', signed = ''] = (await idp.operatorJwt()).split('.')
  const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`
  return `${input}.${signature?.(input) ?? signed}`
}

for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'HS256', 'RS1', 'es256', undefined, null, ['ES256']]) {
  test(`alg ${JSON.stringify(alg)} is refused`, async () => {
    await isRefused(await withHeader({ alg, kid: 'ES256-1' }), 'alg is not in the list')
  })
}

test('no public key of the provider is taken for a shared secret', async () => {
  const jwk = idp.publicJwks.find(one => one.kid === 'RS256-1')
  assert.ok(jwk)
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  const secrets = [key.export({ format: 'pem', type: 'spki' }), key.export({ format: 'der', type: 'spki' })]
  for (const secret of [...secrets, JSON.stringify(jwk)]) {
    const mac = (input: string): string => createHmac('sha256', secret).update(input).digest('base64url')
    await isRefused(await withHeader({ alg: 'HS256', kid: 'RS256-1' }, mac), 'alg is not in the list')
  }
})

test('a key is used with the algorithm that it permits and with no other', async () => {
  const noKey = 'the provider has no key that fits kid and alg'
  await isRefused(await idp.operatorJwt({}, { alg: 'PS256', kid: 'PS256-1' }).then(swapKid('RS256-1')), noKey)
  await isRefused(await withHeader({ alg: 'RS256', kid: 'ES256-1' }), noKey)
  await isRefused(await withHeader({ alg: 'ES384', kid: 'ES256-1' }), noKey)
  await isRefused(await withHeader({ alg: 'ES256', kid: 7 }), 'kid is not a string')
})

const swapKid =
  (kid: string) =>
  (jwt: string): string => {
    const [header = '', payload, signature] = jwt.split('.')
    const members = JSON.parse(Buffer.from(header, 'base64url').toString()) as object
    return `${Buffer.from(JSON.stringify({ ...members, kid })).toString('base64url')}.${payload}.${signature}`
  }

test('an algorithm that was not configured is refused', async () => {
  const only = operatorsOf([configured(idp, { algorithms: ['RS256'] })])
  await isRefused(await idp.operatorJwt({}, { alg: 'ES256', kid: 'ES256-1' }), 'alg is not in the list', only)
  assert.deepEqual(await only.verify(await idp.operatorJwt({}, { alg: 'RS256' })), OPERATOR)
})

test('of forged JWTs by the hundred as many wait as are taken, the rest are Unavailable; one from elsewhere is verified', async () => {
  const times = { now: () => NOW, monotonicNow: () => 0 }
  const keySets = keySetsBy(fetch, times.monotonicNow)
  const by = makeOperators({ timing: TIMING, providers: [configured(idp)], ownIssuer: OWN_ISSUER, keySets, ...times })
  const [known, honest] = [await idp.operatorJwt(), await idp.operatorJwt({ jti: 'honest' })]
  assert.deepEqual(await by.verify(known, '192.0.2.1'), OPERATOR)
  const forge = forgerOf(known)
  const flood = Promise.allSettled(Array.from({ length: 300 }, () => by.verify(forge(), '192.0.2.1')))
  const served = [by.verify(known, '192.0.2.1'), by.verify(honest, '192.0.2.2')]
  assert.deepEqual(await Promise.all(served), [OPERATOR, OPERATOR])
  const settled = await flood
  const refused = settled.filter(one => one.status === 'rejected')
  assert.ok(refused.length >= 42 && refused.every(({ reason }) => reason instanceof Unavailable), `${refused.length}`)
  for (const one of settled) {
    if (one.status === 'fulfilled') assert.deepEqual(one.value, { refused: 'the signature does not verify' })
  }
})

test("keys and addresses in a JWT's own header are neither used nor asked", async () => {
  const attacker = await start()
  const [jwk] = attacker.publicJwks
  for (const named of [{ jwk }, { jku: attacker.jwksUri }, { x5u: attacker.jwksUri }, { x5c: ['MIIB'] }]) {
    const signedByAttacker = await attacker.operatorJwt({ iss: idp.issuer }, { ...named, kid: 'ES256-1' })
    await isRefused(signedByAttacker, 'the signature does not verify')
    assert.deepEqual(await operators.verify(await idp.operatorJwt({}, named)), OPERATOR)
  }
  assert.deepEqual(attacker.fetches, { metadata: 0, jwks: 0 })
})

test('without kid a JWT passes if exactly one key fits', async () => {
  assert.deepEqual(await operators.verify(await idp.operatorJwt({}, { kid: undefined, alg: 'ES256' })), OPERATOR)
  const twoKeys = await start()
  const [first] = twoKeys.publicJwks
  assert.ok(first)
  await twoKeys.rotate()
  twoKeys.publicJwks.push(first)
  const jwt = await twoKeys.operatorJwt({}, { kid: undefined })
  await isRefused(jwt, 'more than one key of the provider fits', operatorsOf([configured(twoKeys)]))
})

test('each of several providers vouches for its own operators only', async () => {
  const second = await start({ audience: 'second' })
  const both = operatorsOf([configured(idp), configured(second)])
  assert.deepEqual(await both.verify(await second.operatorJwt({ role: 'mintmark-admin' })), {
    ...OPERATOR,
    iss: second.issuer,
    role: 'admin',
  })
  assert.deepEqual(await both.verify(await idp.operatorJwt()), OPERATOR)
  await isRefused(
    await second.operatorJwt({ iss: idp.issuer, aud: idp.audience }, { kid: 'ES256-1' }),
    'the signature does not verify',
    both,
  )
  await isRefused(await second.operatorJwt({ aud: idp.audience }), 'aud does not name this service', both)
})

test('a provider with our own issuer, an unsafe address or the issuer of another is no provider', () => {
  const wrong: readonly (readonly [readonly IdentityProvider[], RegExp])[] = [
    [[configured(idp, { issuer: OWN_ISSUER })], /has the issuer of this service/],
    [[configured(idp, { issuer: 'http://provider.test' })], /must be an https address/],
    [[configured(idp, { issuer: 'file:///etc/keys' })], /must be an https address/],
    [[configured(idp, { jwksUri: 'http://provider.test/keys' })], /must be an https address/],
    [[configured(idp, { jwksUri: 'https://user:word@provider.test/keys' })], /must be an https address/],
    [[configured(idp), configured(idp)], /have the same issuer/],
  ]
  for (const [providers, message] of wrong) assert.throws(() => operatorsOf(providers), message)
})
