// A serving thread's end of the line to the main thread: what it asks, and what becomes of those who wait for an answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import type { KeySet, KeySetPlace } from '../../src/ports/key-sets.ts'
import { TIMING } from '../../src/ports/timing.ts'
import { relayKeySets } from '../../src/serving/relayed-key-sets.ts'

const PLACE: KeySetPlace = { of: 'provider', issuer: 'https://provider.test', jwksUri: null }
const SET: KeySet = { jwks: [], readAt: 1, nextReadingAt: 2, failure: null }

const makeRelay = (monotonic = () => performance.now()) => {
  const asked: KeySetPlace[] = []
  return { asked, relay: relayKeySets(place => void asked.push(place), { monotonic, timing: TIMING }) }
}

test('a place is asked for once, however many wait, and each has the answer to its own', async () => {
  const { asked, relay } = makeRelay()
  const others = (['client', 'provider'] as const).map(of => ({ ...PLACE, of, jwksUri: 'https://keys.test/' }))
  const waiting = [PLACE, PLACE, ...others].map(place => relay.latest(place, 0))
  assert.deepEqual(asked, [PLACE, ...others])
  asked.toReversed().forEach((place, n) => relay.settle(place, { ...SET, readAt: n }))
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ readAt }) => readAt),
    [2, 2, 1, 0],
  )
  void relay.latest(PLACE, 0)
  assert.equal(asked.length, 4)
  relay.settle(PLACE, SET)
})

test('a main thread that does not answer leaves nobody waiting, and its late answer is that of who asked again', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  const pass = (ms: number): void => {
    now += ms
    t.mock.timers.tick(ms)
  }
  const { asked, relay } = makeRelay(() => now)
  const waiting = [relay.latest(PLACE, 0), relay.latest(PLACE, 0)]
  pass(4_300)
  for (const one of waiting) await assert.rejects(one, Unavailable)
  relay.settle(PLACE, SET)
  const again = relay.latest(PLACE, 0)
  assert.equal(asked.length, 2)
  relay.settle(PLACE, { ...SET, readAt: 7 })
  assert.equal((await again).readAt, 7)
  pass(4_300)
  relay.settle(PLACE, SET)
})
