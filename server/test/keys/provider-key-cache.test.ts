// How long a provider's keys are believed and how often it is asked, by a clock that only the test moves.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import {
  KEYS_FRESH_MILLISECONDS,
  KEYS_HELD_MILLISECONDS_MAX,
  makeProviderKeyCache,
  READINGS_APART_MILLISECONDS,
} from '../../src/keys/provider-key-cache.ts'
import { KEYS_IN_SET_MAX, type KeySetReading } from '../../src/keys/provider-key-set.ts'
import { parseProviderKey, type ProviderKey } from '../../src/keys/provider-key.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keyNamed = (kid: string): ProviderKey => {
  const key = parseProviderKey({ ...publicKey.export({ format: 'jwk' }), kid })
  assert.ok(key)
  return key
}

/** A provider whose answer the test sets, and the cache in front of it. */
const makeWorld = (...kids: readonly string[]) => {
  const world = { now: 0, answer: { keys: kids.map(keyNamed) } as KeySetReading, readingsAt: [] as number[] }
  const cache = makeProviderKeyCache({
    issuer: 'https://provider.test',
    monotonicNow: () => world.now,
    read: async () => {
      world.readingsAt.push(world.now)
      return world.answer
    },
  })
  const find = async (kid: string): Promise<readonly (string | undefined)[]> =>
    (await cache.find(key => key.kid === kid)).map(key => key.kid)
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

test('of a large set only the key that fits is read, and once', async () => {
  const read: string[] = []
  const { world, find } = makeWorld()
  const keys = Array.from({ length: KEYS_IN_SET_MAX }, (_, n): ProviderKey => {
    const key = keyNamed(`${n}`)
    const readCounted = () => {
      read.push(`${n}`)
      return key.read()
    }
    return { ...key, read: readCounted }
  })
  world.answer = { keys }
  assert.deepEqual(await find('forged'), [])
  assert.deepEqual(read, [])
  assert.deepEqual(await find('7'), ['7'])
  assert.deepEqual(read, ['7'])
})

test('a key that is weak is asked for again, as one that is not there, and then told with its fault', async () => {
  const weak: ProviderKey = { ...keyNamed('a'), read: () => ({ wrong: 'weak' }) }
  const { world, find } = makeWorld()
  world.answer = { keys: [weak] }
  assert.deepEqual(await find('a'), ['a'])
  world.answer = { keys: [keyNamed('a')] }
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
  world.answer = { keys: [keyNamed('b')] }
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
    if (world.now === 100) world.answer = { keys: [keyNamed('a'), keyNamed('new')] }
    assert.deepEqual(await find(`forged-${world.now}`), [])
    assert.deepEqual(await find('a'), ['a'])
    if (honouredAt === undefined && (await find('new')).length === 1) honouredAt = world.now
  }
  assert.equal(honouredAt, READINGS_APART_MILLISECONDS)
})

test('after a quiet time a rotation is honoured at once', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { keys: [keyNamed('b')] }
  world.now = READINGS_APART_MILLISECONDS
  assert.deepEqual(await find('b'), ['b'])
})

test('where no keys were ever had, nothing is decided', async () => {
  const { world, find } = makeWorld()
  world.answer = { failure: 'down' }
  await assert.rejects(find('a'), isUnavailable('down'))
})

test('a provider that is down at first is asked again after 1, 2, 4, 8 and then each 16 seconds', async () => {
  const { world, find } = makeWorld('a')
  world.answer = { failure: 'down' }
  for (world.now = 0; world.now <= 64_000; world.now += 500) await assert.rejects(find('a'), isUnavailable('down'))
  assert.deepEqual(world.readingsAt, [0, 1000, 3000, 7000, 15_000, 31_000, 47_000, 63_000])
  world.answer = { keys: [keyNamed('a')] }
  world.now = 79_000
  assert.deepEqual(await find('a'), ['a'])
})

test('an unknown key id is neither refused nor accepted while the provider does not answer', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { failure: 'down' }
  world.now = READINGS_APART_MILLISECONDS
  await assert.rejects(find('new'), isUnavailable('down'))
  assert.deepEqual(await find('a'), ['a'])
  await assert.rejects(find('new'), isUnavailable('down'))
  assert.equal(world.readingsAt.length, 2)
})

test('keys that cannot be read again are believed for 30 minutes in all, and not a moment longer', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { failure: 'down' }
  for (const at of [KEYS_FRESH_MILLISECONDS, KEYS_HELD_MILLISECONDS_MAX - 1]) {
    world.now = at
    assert.deepEqual(await find('a'), ['a'])
  }
  world.now = KEYS_HELD_MILLISECONDS_MAX
  await assert.rejects(find('a'), isUnavailable('down'))
})
