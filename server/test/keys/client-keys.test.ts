// The keys of clients in memory: what is held, for how many, and how many requests may wait for a server of keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeClientKeys } from '../../src/keys/clients/client-assertions.ts'
import type { Fetch } from '../../src/keys/providers/fetch-json.ts'
import { WAITING_A_PLACE_MAX } from '../../src/keys/providers/provider-key-cache.ts'
import { makeProofKey } from '../../../testkit/keys/dpop.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { keySetsBy } from '../../../testkit/identity-providers/key-sets.ts'

const WAITING_MAX = 512

const key = makeProofKey()

/** Where none is refused the tests would wait for ever. */
const LIMIT = { timeout: 300_000 }

const at = (jwksUri: string) => ({ jwks: null, jwksUri, issuer: null })

const clientKeysBy = (fetchKeys: Fetch, monotonicNow: () => number = () => 0) =>
  makeClientKeys({ timing: TIMING, keySets: keySetsBy(fetchKeys, monotonicNow), monotonicNow })

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

test('the more places hang, the fewer may wait for each, and a further place finds room', LIMIT, async () => {
  const { find, letGo } = hangingServers()
  const waiting: Promise<readonly unknown[]>[] = []
  /** How many may wait for the place. */
  const fill = async (address: string): Promise<number> => {
    for (let count = 0; ; count += 1) {
      const one = find(at(address), () => true)
      const isRefused = await Promise.race([one.then(() => false, isBeyond), turn(false)])
      if (isRefused) return count
      waiting.push(one)
    }
  }
  const filled: number[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) filled.push(await fill(`https://${name}.example/`))
  assert.deepEqual(filled, [128, 128, 128, 64, 32, 16])
  for (let n = 0; waiting.length < WAITING_MAX; n += 1) waiting.push(find(at(`https://${n}.example/`), () => true))
  await assert.rejects(
    find(at('https://last.example/'), () => true),
    isBeyond,
  )
  const jwk = { ...key.jwk } as Record<string, string>
  assert.equal((await find({ jwks: [jwk], jwksUri: null, issuer: null }, () => true)).length, 1)
  letGo()
  assert.equal((await Promise.all(waiting)).length, WAITING_MAX)
})

test('a key that is known waits for nobody, while as many wait for an unknown one as may', LIMIT, async () => {
  const second = Promise.withResolvers<null>()
  let fetches = 0
  let now = 0
  const answer = async (): Promise<Response> => {
    fetches += 1
    if (fetches > 1) await second.promise
    return Response.json({ keys: [{ ...key.jwk, kid: 'one' }] })
  }
  const find = clientKeysBy(answer, () => now)
  const place = at('https://a.example/')
  const known = () => find(place, ({ kid }) => kid === 'one')
  assert.equal((await known()).length, 1)
  now = TIMING.keyReadingsApartMs
  const unknown = Array.from({ length: WAITING_A_PLACE_MAX }, () => find(place, () => false))
  await assert.rejects(
    find(place, () => false),
    isBeyond,
  )
  assert.equal((await known()).length, 1)
  second.resolve(null)
  assert.deepEqual(new Set((await Promise.all(unknown)).map(({ length }) => length)), new Set([0]))
  assert.equal(fetches, 2)
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
