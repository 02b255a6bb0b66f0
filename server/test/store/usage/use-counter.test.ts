// How a thread counts where tokens are used: in memory, bounded, handed over in pieces; a store that fails or hangs stops nobody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { Inactive } from '../../../src/ports/usage.ts'
import type { TokenReference } from '../../../src/ports/token-codec.ts'
import { makeUseCounter, type UseCount } from '../../../src/store/usage/evidence/use-counter.ts'

const REPORTED_MAX = 500
const PRESENTED_OF_KEY_MAX = 250
const PRESENTED_MAX = 500
const COUNTED_PAIRS_MAX = 1000

const follow = () => {
  const handed: UseCount[] = []
  return { handed, handOver: (counts: readonly UseCount[]) => Promise.resolve(void handed.push(...counts)) }
}

const unfound = (id: string): Inactive => ({
  kind: 'unfound',
  reference: { id, lifetimeSeconds: 300, digest: id } as unknown as TokenReference,
  audiences: null,
  isSignedBy: () => Promise.resolve(false),
})

const ended = (tokenId: string): Inactive => ({ kind: 'ended', agentId: 'a', tokenId, expiresAt: 7, isOutside: false })

const pairsOf = (counts: readonly UseCount[]) => counts.filter(one => one.kind === 'pair')
const sumOf = (counts: readonly UseCount[]): number =>
  counts.reduce(
    (sum, one) => sum + (one.kind === 'pair' ? one.active + one.inactive : 'count' in one ? one.count : 0),
    0,
  )

test('a pair is one entry with when it was first and last, whatever is asked', async () => {
  const { handed, handOver } = follow()
  let now = 1000
  const counter = makeUseCounter({ timing: TIMING, handOver, onFault: assert.fail }, () => now)
  for (; now < 1100; now += 1) counter.countActive('key', 'agent')
  counter.countInactive('key', { kind: 'outside', agentId: 'agent' })
  counter.countInactive('key', { kind: 'unknown' })
  await counter.settle()
  await counter.settle()
  const whose = { kind: 'pair', apiKeyId: 'key' }
  const none = { active: 0, inactive: 1, afterEnd: 0, firstAt: 1100, lastAt: 1100 }
  assert.deepEqual(handed, [
    {
      ...whose,
      agentId: 'agent',
      isOutside: false,
      active: 100,
      inactive: 0,
      afterEnd: 0,
      firstAt: 1000,
      lastAt: 1099,
    },
    { ...whose, agentId: 'agent', isOutside: true, ...none },
    { ...whose, agentId: '', isOutside: false, ...none },
  ])
})

test('beyond the bounds everything is counted, and less is named', async () => {
  const { handed, handOver } = follow()
  const counter = makeUseCounter({ timing: TIMING, handOver, onFault: assert.fail })
  for (let n = 0; n < COUNTED_PAIRS_MAX + 7; n += 1) counter.countActive(`key ${n % 1000}`, `agent ${n}`)
  for (let n = 0; n < PRESENTED_OF_KEY_MAX + 3; n += 1) counter.countInactive('key 1', unfound(`token ${n}`))
  for (let n = 0; n < PRESENTED_MAX; n += 1) counter.countInactive('key 2', ended(`token ${n}`))
  for (let n = 0; n < 5; n += 1) counter.countInactive('key 3', unfound(`token ${n}`))
  for (let n = 0; n < REPORTED_MAX + 9; n += 1)
    counter.countReported({ apiKeyId: 'key', name: `follower ${n}`, uses: [] })
  counter.countReported({ apiKeyId: 'key', name: 'without', uses: null })
  await counter.settle()
  const kinds = (kind: UseCount['kind']): number => handed.filter(one => one.kind === kind).length
  assert.deepEqual(
    [kinds('pair'), kinds('unfound'), kinds('ended'), kinds('reported')],
    [COUNTED_PAIRS_MAX + 1, PRESENTED_OF_KEY_MAX, PRESENTED_OF_KEY_MAX, REPORTED_MAX],
  )
  assert.equal(sumOf(handed), COUNTED_PAIRS_MAX + 7 + PRESENTED_OF_KEY_MAX + 3 + PRESENTED_MAX + 5)
  const [others] = pairsOf(handed).filter(({ apiKeyId }) => apiKeyId === '')
  assert.deepEqual([others?.active, others?.afterEnd], [7, PRESENTED_MAX - PRESENTED_OF_KEY_MAX])
})

test('a flood of made-up ids through one API key leaves room for those of another', async () => {
  const { handed, handOver } = follow()
  const counter = makeUseCounter({ timing: TIMING, handOver, onFault: assert.fail })
  for (let n = 0; n < 10 * PRESENTED_MAX; n += 1) counter.countInactive('flooded', unfound(`token ${n}`))
  counter.countInactive('honest', unfound('stolen'))
  await counter.settle()
  assert.equal(handed.filter(one => one.kind === 'unfound' && one.apiKeyId === 'honest').length, 1)
})

test('what the store did not take waits, and adds up with what comes', async () => {
  const { handed, handOver } = follow()
  let isThere = false
  let now = 1000
  const counter = makeUseCounter(
    {
      timing: TIMING,
      handOver: counts => (isThere ? handOver(counts) : Promise.reject(new Unavailable('not now'))),
      onFault: assert.fail,
    },
    () => now,
  )
  const count = (): void => {
    counter.countActive('key', 'agent')
    counter.countInactive('key', ended('token'))
    counter.countInactive('key', unfound('token'))
    counter.countReported({ apiKeyId: 'key', name: 'follower', uses: [{ agent_id: 'agent', count: now }] })
  }
  count()
  await counter.settle()
  now = 2000
  count()
  isThere = true
  await counter.settle()
  assert.deepEqual(
    handed.map(one => [one.kind, 'firstAt' in one ? [one.firstAt, one.lastAt] : one.uses[0]?.count]),
    [
      ['pair', [1000, 2000]],
      ['ended', [1000, 2000]],
      ['unfound', [1000, 2000]],
      ['reported', 2000],
    ],
  )
  assert.equal(sumOf(handed), 6)
})

test('a store that hangs blocks nobody who counts, and is asked once', async () => {
  const [asked, hanging] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const handed: (readonly UseCount[])[] = []
  const counter = makeUseCounter({
    timing: { handOverMs: 0 },
    handOver: async counts => {
      asked.resolve(undefined)
      await hanging.promise
      handed.push(counts)
    },
    onFault: assert.fail,
  })
  counter.countActive('key', 'agent')
  await asked.promise
  for (let n = 0; n < 5; n += 1) {
    counter.countActive('key', 'agent')
    await nextTurn()
  }
  hanging.resolve(undefined)
  await counter.settle()
  assert.deepEqual(handed.map(sumOf), [1, 5])
})
