// The keys of clients in memory: what is held, for how many, and how many requests may wait for a server of keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeClientKeys, WAITING_MAX } from '../../src/keys/client-keys.ts'
import type { Fetch } from '../../src/keys/fetch-json.ts'
import { WAITING_A_PLACE_MAX } from '../../src/keys/provider-key-cache.ts'
import { makeProofKey } from '../support/dpop.ts'
import { keySetsBy } from '../support/key-sets.ts'

const key = makeProofKey()

/** Where none is refused the tests would wait for ever. */
const LIMIT = { timeout: 300_000 }

const at = (jwksUri: string) => ({ jwks: null, jwksUri, issuer: null })

const clientKeysBy = (fetchKeys: Fetch) => {
  const monotonicNow = (): number => 0
  return makeClientKeys({ keySets: keySetsBy(fetchKeys, monotonicNow), monotonicNow })
}

/** Keys from servers that answer once they are let go. */
const hangingServers = () => {
  const answer = Promise.withResolvers<null>()
  let fetches = 0
  const find = clientKeysBy(async () => {
    fetches += 1
    await answer.promise
    return Response.json({ keys: [{ ...key.jwk, kid: 'one' }] })
  })
  return { find, letGo: () => answer.resolve(null), fetches: () => fetches }
}

const isBeyond = (fault: unknown): boolean => fault instanceof Unavailable && fault.message.startsWith('More ')

test(
  'as many as may wait for one place do, with one reading; the next is refused, and another place is not',
  LIMIT,
  async () => {
    const { find, letGo, fetches } = hangingServers()
    const waiting = Array.from({ length: WAITING_A_PLACE_MAX }, () => find(at('https://a.example/'), () => true))
    await assert.rejects(
      find(at('https://a.example/'), () => true),
      isBeyond,
    )
    const other = find(at('https://b.example/'), () => true)
    letGo()
    for (const keys of await Promise.all([...waiting, other]))
      assert.deepEqual(
        keys.map(({ kid }) => kid),
        ['one'],
      )
    assert.equal(fetches(), 2)
    assert.equal((await find(at('https://a.example/'), () => true)).length, 1)
  },
)

test('no more wait for all places together than may, and keys that are registered wait for nobody', LIMIT, async () => {
  const { find, letGo } = hangingServers()
  const places = Array.from({ length: WAITING_MAX / WAITING_A_PLACE_MAX }, (_, n) => at(`https://${n}.example/`))
  const waiting = places.flatMap(place => Array.from({ length: WAITING_A_PLACE_MAX }, () => find(place, () => true)))
  await assert.rejects(
    find(at('https://last.example/'), () => true),
    isBeyond,
  )
  const jwk = { ...key.jwk } as Record<string, string>
  assert.equal((await find({ jwks: [jwk], jwksUri: null, issuer: null }, () => true)).length, 1)
  letGo()
  assert.equal((await Promise.all(waiting)).length, WAITING_MAX)
})

test('the keys of two issuers at one address are held apart: what they say they are for differs', async () => {
  const keys = [
    { ...key.jwk, kid: 'svid', use: 'jwt-svid' },
    { ...makeProofKey().jwk, kid: 'plain', use: 'sig' },
  ]
  const find = clientKeysBy(async () => Response.json({ keys }))
  const kids = async (issuer: string) => {
    const found = await find({ ...at('https://keys.example/'), issuer }, () => true)
    return found.map(({ kid }) => kid)
  }
  assert.deepEqual(await kids('https://ci.example'), ['plain'])
  assert.deepEqual(await kids('spiffe://prod.example'), ['svid', 'plain'])
})
