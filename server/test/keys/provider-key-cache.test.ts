// How long a provider's keys are believed and how often it is asked, by a clock that only the test moves.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeKeySet, READINGS_APART_MILLISECONDS } from '../../src/keys/key-sets.ts'
import {
  KEYS_FRESH_MILLISECONDS,
  KEYS_HELD_MILLISECONDS_MAX,
  makeProviderKeyCache,
  WAITING_A_PLACE_MAX,
} from '../../src/keys/provider-key-cache.ts'
import { KEYS_IN_SET_MAX, type KeySetReading } from '../../src/keys/provider-key-set.ts'
import type { ProviderKey } from '../../src/keys/provider-key.ts'
import type { KeySet } from '../../src/ports/key-sets.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keyNamed = (kid: string): object => ({ ...publicKey.export({ format: 'jwk' }), kid })

const DOWN = { cause: 'it answered 500', detail: 'down' }

const place = { of: 'provider', issuer: 'https://provider.test', jwksUri: null } as const

type Find = (kid: string) => Promise<readonly (string | undefined)[]>

/** A provider whose answer the test sets, and the caches of so many threads in front of it. */
const makeWorldOfThreads = (threads: number, ...kids: readonly string[]) => {
  const world = { now: 0, answer: { jwks: kids.map(keyNamed) } as KeySetReading, readingsAt: [] as number[] }
  const monotonicNow = (): number => world.now
  const read = async (): Promise<KeySetReading> => {
    world.readingsAt.push(world.now)
    return world.answer
  }
  const latest = makeKeySet({ read, monotonicNow })
  const caches = Array.from({ length: threads }, () =>
    makeProviderKeyCache({ place, keySets: { latest }, monotonicNow }),
  )
  const finds = caches.map(
    (cache): Find =>
      async kid =>
        (await cache.find(key => key.kid === kid)).map(key => key.kid),
  )
  return { world, finds, cache: caches[0] }
}

const makeWorld = (...kids: readonly string[]) => {
  const { world, finds } = makeWorldOfThreads(1, ...kids)
  const [find] = finds
  assert.ok(find)
  return { world, find }
}

const isUnavailable = (reason: string) => (error: unknown) =>
  error instanceof Unavailable &&
  error.message === `The keys of the identity provider https://provider.test cannot be had: ${reason}.`

test('the first token reads the keys, the next ones find them in memory', async () => {
  const { world, find } = makeWorld('a')
  assert.deepEqual(await find('a'), ['a'])
  world.now = KEYS_FRESH_MILLISECONDS - 1
  assert.deepEqual(await find('a'), ['a'])
  assert.deepEqual(world.readingsAt, [0])
})

test('of a large set only the key that fits is read', async () => {
  const names = Array.from({ length: KEYS_IN_SET_MAX }, (_, n) => `${n}`)
  const { finds, cache } = makeWorldOfThreads(1, ...names)
  const read = new Set<unknown>()
  const watch = (key: ProviderKey): boolean => {
    const { kid, read: readOnce } = key
    const readWatched = () => {
      read.add(kid)
      return readOnce()
    }
    Object.assign(key, { read: readWatched })
    return false
  }
  assert.deepEqual(await cache?.find(watch), [])
  assert.equal(read.size, 0)
  assert.deepEqual(await finds[0]?.('7'), ['7'])
  assert.deepEqual([...read], ['7'])
})

test('a key that is weak is asked for again, as one that is not there, and then told with its fault', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
  const { world, find } = makeWorld()
  world.answer = { jwks: [{ ...weak, kid: 'a' }] }
  assert.deepEqual(await find('a'), ['a'])
  world.answer = { jwks: [keyNamed('a')] }
  world.now = READINGS_APART_MILLISECONDS
  assert.deepEqual(await find('a'), ['a'])
  assert.deepEqual(world.readingsAt, [0, READINGS_APART_MILLISECONDS])
})

test('a hundred first tokens at once cause one reading', async () => {
  const { world, find } = makeWorld('a')
  const found = await Promise.all(Array.from({ length: 100 }, () => find('a')))
  assert.ok(found.every(kids => kids[0] === 'a'))
  assert.equal(world.readingsAt.length, 1)
})

test('keys ten minutes old are read again before they are used, so a removed one ends', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { jwks: [keyNamed('b')] }
  world.now = KEYS_FRESH_MILLISECONDS
  assert.deepEqual(await find('a'), [])
  assert.deepEqual(await find('b'), ['b'])
  assert.equal(world.readingsAt.length, 2)
})

test('10,000 forged key ids cause at most two readings in any 30 seconds', async () => {
  const { world, find } = makeWorld('a')
  for (let forged = 0; forged < 10_000; forged += 1) {
    world.now = forged * 12
    assert.deepEqual(await find(`forged-${forged}`), [])
  }
  assert.ok(world.readingsAt.length >= 120_000 / 30_000)
  for (const from of world.readingsAt) {
    assert.ok(world.readingsAt.filter(at => at >= from && at <= from + 30_000).length <= 2)
  }
})

test('a key that appears during a flood of forged ids is honoured within 30 seconds, and known ones all along', async () => {
  const { world, find } = makeWorld('a')
  let honouredAt: number | undefined
  for (world.now = 0; world.now <= 60_000; world.now += 100) {
    // Just after a reading: the worst moment to appear.
    if (world.now === 100) world.answer = { jwks: [keyNamed('a'), keyNamed('new')] }
    assert.deepEqual(await find(`forged-${world.now}`), [])
    assert.deepEqual(await find('a'), ['a'])
    if (honouredAt === undefined && (await find('new')).length === 1) honouredAt = world.now
  }
  assert.equal(honouredAt, READINGS_APART_MILLISECONDS)
})

test('after a quiet time a rotation is honoured at once', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { jwks: [keyNamed('b')] }
  world.now = READINGS_APART_MILLISECONDS
  assert.deepEqual(await find('b'), ['b'])
})

test('where no keys were ever had, nothing is decided', async () => {
  const { world, find } = makeWorld()
  world.answer = { failure: DOWN }
  await assert.rejects(find('a'), isUnavailable('down'))
})

test('a provider that is down at first is asked again after 1, 2, 4, 8 and then each 16 seconds', async () => {
  const { world, find } = makeWorld('a')
  world.answer = { failure: DOWN }
  for (world.now = 0; world.now <= 64_000; world.now += 500) await assert.rejects(find('a'), isUnavailable('down'))
  assert.deepEqual(world.readingsAt, [0, 1000, 3000, 7000, 15_000, 31_000, 47_000, 63_000])
  world.answer = { jwks: [keyNamed('a')] }
  world.now = 79_000
  assert.deepEqual(await find('a'), ['a'])
})

test('an unknown key id is neither refused nor accepted while the provider does not answer', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { failure: DOWN }
  world.now = READINGS_APART_MILLISECONDS
  await assert.rejects(find('new'), isUnavailable('down'))
  assert.deepEqual(await find('a'), ['a'])
  await assert.rejects(find('new'), isUnavailable('down'))
  assert.equal(world.readingsAt.length, 2)
})

test('keys that cannot be read again are believed for 30 minutes in all, and not a moment longer', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { failure: DOWN }
  for (const at of [KEYS_FRESH_MILLISECONDS, KEYS_HELD_MILLISECONDS_MAX - 1]) {
    world.now = at
    assert.deepEqual(await find('a'), ['a'])
  }
  world.now = KEYS_HELD_MILLISECONDS_MAX
  await assert.rejects(find('a'), isUnavailable('down'))
})

test('10,000 forged key ids on eight threads cause at most two readings in any 30 seconds, and a rotation is honoured on all', async () => {
  const { world, finds } = makeWorldOfThreads(8, 'a')
  const honouredAt = new Map<Find, number>()
  for (let forged = 0; forged < 10_000; forged += 1) {
    world.now = forged * 6
    // Just after a reading: the worst moment to appear.
    if (forged === 1) world.answer = { jwks: [keyNamed('a'), keyNamed('new')] }
    for (const find of finds) {
      assert.deepEqual(await find(`forged-${forged}`), [])
      assert.deepEqual(await find('a'), ['a'])
      if (!honouredAt.has(find) && (await find('new')).length === 1) honouredAt.set(find, world.now)
    }
  }
  for (const from of world.readingsAt) {
    assert.ok(world.readingsAt.filter(at => at >= from && at <= from + 30_000).length <= 2)
  }
  assert.equal(honouredAt.size, 8)
  for (const at of honouredAt.values()) assert.ok(at <= READINGS_APART_MILLISECONDS + 6, String(at))
})

test('a thread that starts later is given the set that another had read, without a reading', async () => {
  const { world, finds } = makeWorldOfThreads(2, 'a')
  const [first, second] = finds
  await first?.('a')
  world.now = READINGS_APART_MILLISECONDS - 1
  assert.deepEqual(await second?.('a'), ['a'])
  assert.deepEqual(world.readingsAt, [0])
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
  const cache = makeProviderKeyCache({ place, keySets: { latest }, monotonicNow: () => now.at })
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
  const cache = makeProviderKeyCache({ place, keySets: { latest }, monotonicNow: () => now.at })
  const find: Find = async kid => (await cache.find(key => key.kid === kid)).map(key => key.kid)
  assert.deepEqual(await find('a'), ['a'])
  now.at = READINGS_APART_MILLISECONDS
  const waiting = Array.from({ length: WAITING_A_PLACE_MAX }, (_, n) => find(`forged-${n}`))
  for (now.at of [READINGS_APART_MILLISECONDS, KEYS_FRESH_MILLISECONDS]) {
    await assert.rejects(find('one more'), /More JWTs wait for the keys of https:\/\/provider\.test than are taken/)
    assert.deepEqual(await find('a'), ['a'])
  }
  resolve({ jwks: [keyNamed('new')], readAt: now.at, nextReadingAt: now.at + 16_000, failure: null })
  assert.deepEqual((await Promise.all(waiting)).flat(), [])
  assert.deepEqual([await find('new'), await find('a')], [['new'], []])
})
