// Names of clients' hosts that do not resolve: what they may keep of the threads that the whole process shares.
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { makeNameLookups, type Resolve } from '../../src/keys/providers/name-lookups.ts'
import { TIMING } from '../../src/ports/timing.ts'

const FOUND: LookupAddress[] = [{ address: '192.0.2.1', family: 4 }]
const DEAD = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' })

type Answer = (error: Error | null, addresses: LookupAddress[]) => void

/** A resolver of which a test answers each look-up, on a clock that it moves. */
const makeWorld = () => {
  const clock = { now: 0 }
  const underWay = new Map<string, Answer>()
  const timers = new Map<() => void, number>()
  const asked: string[] = []
  const resolve = ((host: string, _options: object, done: Answer): void => {
    asked.push(host)
    underWay.set(host, done)
  }) as unknown as Resolve
  const after = (ms: number, work: () => void): (() => void) => {
    timers.set(work, clock.now + ms)
    return () => timers.delete(work)
  }
  const lookUp = makeNameLookups({ resolve, monotonicNow: () => clock.now, timing: TIMING, after })
  const pass = (ms: number): void => {
    clock.now += ms
    for (const [work, at] of timers) if (at <= clock.now && timers.delete(work)) work()
  }
  const end = async (host: string, ...answer: Parameters<Answer>): Promise<void> => {
    const done = underWay.get(host)
    underWay.delete(host)
    assert.ok(done, `${host} is not looked up`)
    done(...answer)
    await turn()
  }
  return {
    clock,
    pass,
    lookUp,
    asked,
    fail: (host: string) => end(host, DEAD, []),
    find: (host: string) => end(host, null, FOUND),
    underWay: () => [...underWay.keys()].toSorted(),
  }
}

test('two names are looked up at once, and others after them', async () => {
  const { lookUp, find, underWay } = makeWorld()
  const all = Promise.all(['a', 'b', 'c', 'd'].map(lookUp))
  await turn()
  assert.deepEqual(underWay(), ['a', 'b'])
  await find('b')
  assert.deepEqual(underWay(), ['a', 'c'])
  for (const host of ['a', 'c', 'd']) await find(host)
  assert.deepEqual(await all, [FOUND, FOUND, FOUND, FOUND])
})

test('all who ask for a name meanwhile get the answer of one look-up', async () => {
  const { lookUp, find, asked } = makeWorld()
  const all = Promise.all([lookUp('a'), lookUp('a')])
  await turn()
  await find('a')
  assert.deepEqual([await all, asked], [[FOUND, FOUND], ['a']])
})

test('a name that failed, or was found too late, is not looked up again until it has rested', async () => {
  const { clock, lookUp, fail, find, asked } = makeWorld()
  const [dead, late] = [assert.rejects(lookUp('dead'), DEAD), assert.rejects(lookUp('late'), /too long/)]
  await turn()
  clock.now = TIMING.keyReadingMs + 1
  await fail('dead')
  await find('late')
  await Promise.all([dead, late])
  clock.now += TIMING.nameRestMs - 1
  await assert.rejects(lookUp('dead'), DEAD)
  await assert.rejects(lookUp('late'), /too long/)
  assert.deepEqual(asked, ['dead', 'late'])
  clock.now += 1
  const found = lookUp('dead')
  await turn()
  await find('dead')
  assert.deepEqual(await found, FOUND)
})

test('however many names are dead, one that is not known to be is looked up beside them', async () => {
  const { clock, lookUp, fail, find, underWay } = makeWorld()
  const names = ['dead 1', 'dead 2', 'dead 3']
  for (const name of names) {
    const failed = assert.rejects(lookUp(name), DEAD)
    await turn()
    await fail(name)
    await failed
  }
  clock.now += TIMING.nameRestMs
  for (const name of names) lookUp(name).catch(() => undefined)
  const found = lookUp('alive')
  await turn()
  assert.deepEqual(underWay(), ['alive', 'dead 1'])
  await find('alive')
  assert.deepEqual(await found, FOUND)
  assert.deepEqual(underWay(), ['dead 1'])
})

test('a name that waits longer than its callers do is not looked up, and may be asked for again at once', async () => {
  const { pass, lookUp, find, asked, underWay } = makeWorld()
  const slow = ['slow 1', 'slow 2'].map(host => assert.rejects(lookUp(host), /took too long/))
  const waiting = assert.rejects(lookUp('waits'), /waited too long/)
  await turn()
  pass(TIMING.keyReadingMs - 1)
  const later = lookUp('later')
  await turn()
  pass(1)
  await waiting
  pass(1)
  for (const host of ['slow 1', 'slow 2']) await find(host)
  await Promise.all(slow)
  assert.deepEqual(underWay(), ['later'])
  const again = lookUp('waits')
  await turn()
  for (const host of ['later', 'waits']) await find(host)
  assert.deepEqual(await Promise.all([later, again]), [FOUND, FOUND])
  assert.deepEqual(asked, ['slow 1', 'slow 2', 'later', 'waits'])
})
