// A provider's keys in the threads that verify: each set is read once for all of them, by the thread that fetches.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeKeySet } from '../../src/keys/providers/key-sets.ts'
import {
  KEYS_FRESH_MILLISECONDS,
  KEYS_HELD_MILLISECONDS_MAX,
  makeProviderKeyCache,
  WAITING_A_PLACE_MAX,
} from '../../src/keys/providers/provider-key-cache.ts'
import type { KeySetReading } from '../../src/keys/providers/provider-key-set.ts'
import type { KeySet, KeySets } from '../../src/ports/key-sets.ts'
import { TIMING } from '../../src/ports/timing.ts'
import {
  type Find,
  isUnavailable,
  keyNamed,
  makeWorldOfThreads,
  place,
} from '../../../testkit/identity-providers/key-cache-world.ts'

test('10,000 forged key ids on eight threads cause at most two readings in any 30 seconds, and a rotation is honored on all', async () => {
  const { world, finds } = makeWorldOfThreads(8, 'a')
  const honoredAt = new Map<Find, number>()
  for (let forged = 0; forged < 10_000; forged += 1) {
    world.now = forged * 6
    // Just after a reading: the worst moment to appear.
    if (forged === 1) world.answer = { jwks: [keyNamed('a'), keyNamed('new')] }
    for (const find of finds) {
      assert.deepEqual(await find(`forged-${forged}`), [])
      assert.deepEqual(await find('a'), ['a'])
      if (!honoredAt.has(find) && (await find('new')).length === 1) honoredAt.set(find, world.now)
    }
  }
  for (const from of world.readingsAt) {
    assert.ok(world.readingsAt.filter(at => at >= from && at <= from + 30_000).length <= 2)
  }
  assert.equal(honoredAt.size, 8)
  for (const at of honoredAt.values()) assert.ok(at <= TIMING.keyTwoReadingsMs + 6, String(at))
})

test('a thread that starts later is given the set that another had read, without a reading', async () => {
  const { world, finds } = makeWorldOfThreads(2, 'a')
  const [first, second] = finds
  await first?.('a')
  world.now = TIMING.keyReadingsApartMs - 1
  assert.deepEqual(await second?.('a'), ['a'])
  assert.deepEqual(world.readingsAt, [0])
})

test('a rotation that one thread has read is known to the others without another reading', async () => {
  const { world, finds } = makeWorldOfThreads(8, 'a')
  for (const find of finds) assert.deepEqual(await find('a'), ['a'])
  world.answer = { jwks: [keyNamed('b')] }
  for (world.now = 1; world.now <= 8; world.now += 1) assert.deepEqual(await finds[world.now - 1]?.('b'), ['b'])
  assert.deepEqual(world.readingsAt, [0, 1])
})

test('a request that comes while a reading is under way is not refused by what that finds', async () => {
  const world = { now: 0, jwks: [keyNamed('a')] }
  const monotonicNow = (): number => world.now
  const under = Promise.withResolvers<void>()
  const read = async (): Promise<KeySetReading> => {
    const { jwks } = world
    if (world.now === 0) await under.promise
    return { jwks }
  }
  const newest = makeKeySet({ timing: TIMING, read, monotonicNow })
  const keySets: KeySets = { latest: (_place, seenAt) => newest(seenAt) }
  const cache = makeProviderKeyCache({ timing: TIMING, place, keySets, monotonicNow })
  const first = cache.find(key => key.kid === 'a')
  Object.assign(world, { now: 1, jwks: [keyNamed('b')] })
  const second = cache.find(key => key.kid === 'b')
  under.resolve()
  assert.deepEqual([(await first).length, (await second).length], [1, 1])
})

test('a key that stands in the next set too stays the same one, and one under its name that is another does not', async () => {
  const { world, cache } = makeWorldOfThreads(1, 'a', 'b')
  const keyOf = async (kid: string) => (await cache?.find(key => key.kid === kid))?.[0]
  const before = { a: await keyOf('a'), b: await keyOf('b') }
  const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  world.answer = { jwks: [keyNamed('a'), { ...another, kid: 'b' }] }
  world.now = KEYS_FRESH_MILLISECONDS
  assert.equal(await keyOf('a'), before.a)
  assert.notEqual(await keyOf('b'), before.b)
  assert.equal(world.readingsAt.length, 2)
})

/** A thread whose main thread answers once, and then no more. */
const makeAbandoned = async (now: { at: number }) => {
  let asked = 0
  const silent = new Unavailable('The main thread does not answer')
  const answer = { jwks: [keyNamed('a')], readAt: 0, nextReadingAt: 16_000, failure: null }
  const latest = async () => {
    asked += 1
    if (asked > 1) throw silent
    return answer
  }
  const cache = makeProviderKeyCache({ timing: TIMING, place, keySets: { latest }, monotonicNow: () => now.at })
  const find: Find = async kid => (await cache.find(key => key.kid === kid)).map(key => key.kid)
  assert.deepEqual(await find('a'), ['a'])
  return { find, asked: () => asked }
}

test('where the thread that fetches is silent, keys are believed for 30 minutes in all and others are neither refused nor taken', async () => {
  const now = { at: 0 }
  const { find, asked } = await makeAbandoned(now)
  now.at = 16_000
  for (let n = 0; n < 100; n += 1) await assert.rejects(find('new'), isUnavailable('The main thread does not answer'))
  assert.equal(asked(), 2)
  now.at += 1000
  await assert.rejects(find('new'), Unavailable)
  assert.equal(asked(), 3)
  now.at = KEYS_HELD_MILLISECONDS_MAX - 1
  assert.deepEqual(await find('a'), ['a'])
  now.at = KEYS_HELD_MILLISECONDS_MAX
  await assert.rejects(find('a'), isUnavailable('The main thread does not answer'))
})

test('so many may wait for one reading, the next is refused, and who needs no newer key does not wait', async () => {
  const now = { at: 0 }
  const answers = [{ jwks: [keyNamed('a')], readAt: 0, nextReadingAt: 16_000, failure: null }]
  const { promise, resolve } = Promise.withResolvers<KeySet>()
  const latest = async (): Promise<KeySet> => answers.pop() ?? promise
  const cache = makeProviderKeyCache({ timing: TIMING, place, keySets: { latest }, monotonicNow: () => now.at })
  const find: Find = async kid => (await cache.find(key => key.kid === kid)).map(key => key.kid)
  assert.deepEqual(await find('a'), ['a'])
  now.at = TIMING.keyReadingsApartMs
  const waiting = Array.from({ length: WAITING_A_PLACE_MAX }, (_, n) => find(`forged-${n}`))
  for (now.at of [TIMING.keyReadingsApartMs, KEYS_FRESH_MILLISECONDS]) {
    await assert.rejects(find('one more'), /More JWTs wait for the keys of https:\/\/provider\.test than are taken/)
    assert.deepEqual(await find('a'), ['a'])
  }
  resolve({ jwks: [keyNamed('new')], readAt: now.at, nextReadingAt: now.at + 16_000, failure: null })
  assert.deepEqual((await Promise.all(waiting)).flat(), [])
  assert.deepEqual([await find('new'), await find('a')], [['new'], []])
})
