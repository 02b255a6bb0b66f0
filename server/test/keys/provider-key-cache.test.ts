// How long a provider's keys are believed and how often it is asked, by a clock that only the test moves.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { KEYS_FRESH_MILLISECONDS, KEYS_HELD_MILLISECONDS_MAX } from '../../src/keys/providers/provider-key-cache.ts'
import type { ProviderKey } from '../../src/keys/providers/provider-key.ts'
import { TIMING } from '../../src/ports/timing.ts'
import {
  isUnavailable,
  keyNamed,
  makeWorld,
  makeWorldOfThreads,
} from '../../../testkit/identity-providers/key-cache-world.ts'

const KEYS_IN_SET_MAX = 64
const DOWN = { cause: 'it answered 500', detail: 'down' }

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

test('a key that is weak is asked for again, as one that is not there, and then returned with its fault', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
  const { world, find } = makeWorld()
  world.answer = { jwks: [{ ...weak, kid: 'a' }] }
  assert.deepEqual(await find('a'), ['a'])
  world.answer = { jwks: [keyNamed('a')] }
  world.now = TIMING.keyReadingsApartMs
  assert.deepEqual(await find('a'), ['a'])
  assert.deepEqual(world.readingsAt, [0, TIMING.keyReadingsApartMs])
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

test('a key that appears during a flood of forged ids is honored within 30 seconds, and known ones all along', async () => {
  const { world, find } = makeWorld('a')
  let honoredAt: number | undefined
  for (world.now = 0; world.now <= 60_000; world.now += 100) {
    // Just after both readings: the worst moment to appear.
    if (world.now === 200) world.answer = { jwks: [keyNamed('a'), keyNamed('new')] }
    assert.deepEqual(await find(`forged-${world.now}`), [])
    assert.deepEqual(await find('a'), ['a'])
    if (honoredAt === undefined && (await find('new')).length === 1) honoredAt = world.now
  }
  assert.deepEqual([world.readingsAt, honoredAt], [[0, 100, 31_000, 47_000], TIMING.keyTwoReadingsMs])
})

test('in a flood that begins after a quiet time a key that appears is honored 16 seconds after the last reading', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  let honoredAt: number | undefined
  for (world.now = 100_000; world.now <= 130_000; world.now += 100) {
    if (world.now === 100_100) world.answer = { jwks: [keyNamed('a'), keyNamed('new')] }
    await find(`forged-${world.now}`)
    if (honoredAt === undefined && (await find('new')).length === 1) honoredAt = world.now
  }
  assert.deepEqual([world.readingsAt, honoredAt], [[0, 100_000, 116_000], 116_000])
})

test('a rotation just after the first reading, or the one that is due, is honored at once; a second in 31 s waits', async () => {
  const { world, find } = makeWorld('a')
  for (const [from, kid] of [
    [0, 'a'],
    [KEYS_FRESH_MILLISECONDS + TIMING.keyTwoReadingsMs, 'c'],
  ] as const) {
    world.now = from
    world.answer = { jwks: [keyNamed(kid)] }
    assert.deepEqual(await find(kid), [kid])
    world.answer = { jwks: [keyNamed('b')] }
    world.now = from + 1
    assert.deepEqual(await find('b'), ['b'])
    world.answer = { jwks: [keyNamed('c')] }
    world.now = from + TIMING.keyTwoReadingsMs - 1
    assert.deepEqual(await find('c'), [])
    world.now = from + TIMING.keyTwoReadingsMs
    assert.deepEqual(await find('c'), ['c'])
    assert.deepEqual(world.readingsAt.splice(0), [from, from + 1, from + TIMING.keyTwoReadingsMs])
  }
})

test('an unknown key id that comes before any reading causes one, not two', async () => {
  const { world, find } = makeWorld('a')
  assert.deepEqual(await find('forged'), [])
  assert.deepEqual(world.readingsAt, [0])
})

test('readings that failed before there were keys do not keep the first rotation waiting', async () => {
  const { world, find } = makeWorld('a')
  world.answer = { failure: DOWN }
  await assert.rejects(find('a'), isUnavailable('down'))
  world.answer = { jwks: [keyNamed('a')] }
  world.now = 1000
  assert.deepEqual(await find('a'), ['a'])
  world.answer = { jwks: [keyNamed('b')] }
  world.now = 1001
  assert.deepEqual(await find('b'), ['b'])
})

test('after a quiet time a rotation is honored at once', async () => {
  const { world, find } = makeWorld('a')
  await find('a')
  world.answer = { jwks: [keyNamed('b')] }
  world.now = TIMING.keyReadingsApartMs
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
  world.now = TIMING.keyReadingsApartMs
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
