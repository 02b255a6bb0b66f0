// Trusted issuers over HTTP: a JWT is verified by the keys and algorithms of its record alone, and no key of another is looked at.
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { PROVIDER_ALGORITHMS } from '../../../api/values/algorithms.ts'
import type { NewIssuer, TrustedIssuer } from '../../src/domain/clients/trusted-issuer.ts'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeForeignIssuers } from '../../src/keys/providers/foreign-issuers.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { ATTACKER_JWKS, type Genuine } from '../../../testkit/forgeries/forgeries.ts'
import { weaknessesOf } from '../../../testkit/forgeries/weaknesses.ts'
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startIdentityProvider,
} from '../../../testkit/identity-providers/identity-provider.ts'
import { keySetsBy } from '../../../testkit/identity-providers/key-sets.ts'
import { setTrap } from '../../../testkit/identity-providers/trap.ts'
import { newIssuer } from '../../../testkit/stores/new-things.ts'

const SOURCE = '192.0.2.1'
const running: { readonly close: () => Promise<void> }[] = []
after(() => Promise.all(running.map(one => one.close())))

const start = async (options: IdentityProviderOptions = {}): Promise<IdentityProvider> => {
  const provider = await startIdentityProvider(options)
  running.push(provider)
  return provider
}

const trusted = ({ issuer }: { readonly issuer: string }, changes: Partial<NewIssuer> = {}): TrustedIssuer => ({
  ...newIssuer(),
  issuer,
  algorithms: PROVIDER_ALGORITHMS,
  ...changes,
  createdAt: 0,
  disabledAt: null,
  suspendedAt: null,
  managedBy: null,
})

const makeWorld = (monotonicNow: () => number = () => 0) => {
  const foreign = makeForeignIssuers({ timing: TIMING, keySets: keySetsBy(fetch, monotonicNow), monotonicNow })
  const verify = (text: string, issuer: TrustedIssuer): Promise<string | null> => {
    const read = foreign.read(text)
    return 'wrong' in read ? Promise.resolve(read.wrong) : read.verify(issuer, SOURCE)
  }
  return { foreign, verify }
}

const one = await start({ algorithms: PROVIDER_ALGORITHMS })
const other = await start({ algorithms: ['ES256'] })

const jwtOf = (by: IdentityProvider, claims: object = {}, header = {}): Promise<string> =>
  by.sign({ iss: by.issuer, sub: 'ada', ...claims }, { alg: 'ES256', ...header })

for (const alg of [...PROVIDER_ALGORITHMS, 'EdDSA']) {
  test(`a JWT signed with ${alg} is verified, and its claims and type are read`, async () => {
    const kid = alg === 'EdDSA' ? 'Ed25519-1' : `${alg}-1`
    const text = await jwtOf(one, {}, { alg, kid, typ: 'application/AT+jwt' })
    const { foreign, verify } = makeWorld()
    assert.equal(await verify(text, trusted(one)), null)
    const jwt = foreign.read(text)
    assert.ok(!('wrong' in jwt))
    assert.deepEqual([jwt.typ, jwt.claims], ['at+jwt', { iss: one.issuer, sub: 'ada' }])
  })
}

test('what issuer A signs as issuer B is refused, by the records of both, and only keys of the record are asked for', async () => {
  const { verify } = makeWorld()
  const forged = await jwtOf(other, { iss: one.issuer })
  const [before, fetched] = [other.fetches.jwks, one.fetches.jwks]
  assert.equal(await verify(forged, trusted(one)), 'the signature does not verify')
  assert.equal(await verify(forged, trusted(other)), 'iss is not that of the record')
  assert.deepEqual([other.fetches.jwks, one.fetches.jwks], [before, fetched + 1])
  // Beside it the keys of B are held by now: they are still not those of A.
  assert.equal(await verify(await jwtOf(other), trusted(other)), null)
  assert.equal(await verify(forged, trusted(one)), 'the signature does not verify')
  assert.equal(
    await verify(await jwtOf(other), trusted(other, { issuer: `${other.issuer}/` })),
    'iss is not that of the record',
  )
})

test('the key of another record of the same issuer is not taken: each record has the keys at its own address', async () => {
  const { verify } = makeWorld()
  const record = trusted({ issuer: one.issuer }, { jwksUri: other.jwksUri })
  assert.equal(await verify(await jwtOf(one), record), 'the signature does not verify')
  assert.equal(await verify(await jwtOf(other, { iss: one.issuer }), record), null)
  assert.equal(await verify(await jwtOf(one), trusted(one)), null)
})

test('an algorithm that the record does not list is refused, and one that nobody may have', async () => {
  const { foreign, verify } = makeWorld()
  const record = trusted(one, { algorithms: ['RS256'] })
  assert.equal(await verify(await jwtOf(one), record), 'alg is not in the list')
  assert.equal(await verify(await jwtOf(one, {}, { alg: 'RS256' }), record), null)
  assert.equal(await verify(await jwtOf(one), trusted(one)), null)
  assert.deepEqual(foreign.read('a.b.c'), { wrong: 'it is not a compact JWS in its canonical form' })
})

test('keys that cannot be read are Unavailable, without a reason for the caller', async () => {
  const down = await start({ algorithms: ['ES256'] })
  down.fail('error')
  await assert.rejects(
    makeWorld().verify(await jwtOf(down), trusted(down)),
    (fault: unknown) =>
      fault instanceof Unavailable &&
      fault.toCaller === undefined &&
      fault.message.startsWith(`The keys of the trusted issuer ${down.issuer} cannot be had: `),
  )
})

test('discovery: as it is written, another issuer by its name, or out of reach', async () => {
  const { foreign } = makeWorld()
  const wrong = await start({ path: '/tenant' })
  wrong.fail('other_issuer')
  const down = await start()
  down.fail('error')
  assert.equal(await foreign.discover(one.issuer), 'as_written')
  assert.deepEqual(await foreign.discover(wrong.issuer), { named: `${wrong.issuer}/other` })
  assert.deepEqual(await foreign.discover(down.issuer), 'unreachable')
})

test('the state of each record is by its own keys and algorithms', async () => {
  const { foreign } = makeWorld()
  const down = await start()
  down.fail('malformed')
  const records = [trusted(one), trusted(other, { algorithms: ['RS256', 'ES384'] }), trusted(other), trusted(down)]
  const states = await foreign.check(records)
  assert.deepEqual(
    states.map(({ alias }) => alias),
    records.map(({ alias }) => alias),
  )
  assert.deepEqual(
    states.map(state => [state.status, state.status === 'ok' ? null : state.cause]),
    [
      ['ok', null],
      ['unavailable', 'its key set holds no usable key for RS256, ES384'],
      ['ok', null],
      ['unavailable', 'it answered something other than JSON'],
    ],
  )
})

suite('every known weakness of verifiers but those of claims, which are checked elsewhere', () => {
  for (const alg of ['ES256', 'RS256'] as const) {
    for (const { name, forge, of } of weaknessesOf(alg)) {
      if (of === 'claims') continue
      test(`${alg}: ${name}`, async () => {
        const trap = await setTrap(ATTACKER_JWKS)
        try {
          const claims = { iss: one.issuer, sub: 'ada', exp: 4_000_000_000, iat: 1, jti: 'x', aud: 'y' }
          const text = await one.sign(claims, { alg })
          const header = JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()) as Genuine['header']
          const genuine = { text, key: one.keyOf(alg), header, claims, trap: trap.address }
          const { verify } = makeWorld()
          assert.notEqual(await verify(forge(genuine), trusted(one)), null)
          assert.equal(await verify(text, trusted(one)), null)
          assert.equal(trap.visits(), 0)
        } finally {
          await trap.close()
        }
      })
    }
  }
})
