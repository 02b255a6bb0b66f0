// How a thread counts usage: in memory, bounded, handed over in pieces; a store that fails or hangs stops nobody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AgentUsage } from '../../../src/domain/clients/agent-usage.ts'
import { makeTokenId } from '../../../src/domain/ledger/claims.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import type { UsageCount } from '../../../src/store/usage/issuing/count-usage.ts'
import { makeUsageCounter } from '../../../src/store/usage/issuing/usage-counter.ts'
import { makeBuffered } from '../../../src/store/usage/usage-repository.ts'

const COUNTED_AGENTS_MAX = 20_000
const AT = Date.UTC(2026, 10, 21, 9, 30, 0)
const tokenAt = (at: number): string => makeTokenId(at, new Uint8Array(10))

const follow = () => {
  const handed: (readonly UsageCount[])[] = []
  return { handed, handOver: (counts: readonly UsageCount[]) => Promise.resolve(void handed.push(counts)) }
}

test('a thread counts in memory and hands over once, in the order of agents and in pieces', async () => {
  const { handed, handOver } = follow()
  const counter = makeUsageCounter({ timing: TIMING, handOver, onFault: assert.fail })
  for (let agent = 200; agent > 0; agent -= 1) counter.issued(agent, tokenAt(AT))
  for (let n = 1; n <= 1000; n += 1) counter.issued(7, tokenAt(AT + n))
  counter.refused(7, 'invalid_scope')
  await counter.settle()
  await counter.settle()
  assert.deepEqual(
    handed.map(({ length }) => length),
    [64, 64, 64, 8],
  )
  const counts = handed.flat()
  assert.deepEqual(
    counts.map(({ agent }) => agent),
    Array.from({ length: 200 }, (_, n) => n + 1),
  )
  assert.deepEqual(counts[6], {
    agent: 7,
    issued: 1001,
    refused: 1,
    lastAt: AT + 1000,
    reasons: [{ reason: 'invalid_scope', count: 1 }],
  })
})

test('where the store cannot be had the counts wait for it, and add up', async () => {
  const { handed, handOver } = follow()
  let isThere = false
  const counter = makeUsageCounter({
    timing: TIMING,
    handOver: counts => (isThere ? handOver(counts) : Promise.reject(new Unavailable('not now'))),
    onFault: assert.fail,
  })
  counter.issued(1, tokenAt(AT))
  counter.refused(1, 'invalid_scope')
  await counter.settle()
  counter.issued(1, tokenAt(AT - 1000))
  isThere = true
  await counter.settle()
  assert.deepEqual(handed, [
    [{ agent: 1, issued: 2, refused: 1, lastAt: AT, reasons: [{ reason: 'invalid_scope', count: 1 }] }],
  ])
})

test('a store that hangs blocks nobody who counts, and is asked once', async () => {
  const hanging = Promise.withResolvers<undefined>()
  const handed: UsageCount[] = []
  let asked = 0
  const counter = makeUsageCounter({
    timing: TIMING,
    handOver: async counts => {
      asked += 1
      await hanging.promise
      handed.push(...counts)
    },
    onFault: assert.fail,
  })
  counter.issued(1, tokenAt(AT))
  const settled = counter.settle()
  await nextTurn()
  for (let n = 0; n < 1000; n += 1) counter.issued(1, tokenAt(AT))
  assert.equal(asked, 1)
  hanging.resolve(undefined)
  await settled
  await counter.settle()
  assert.deepEqual(
    handed.map(({ issued }) => issued),
    [1, 1000],
  )
})

test('a fault loses only the count that causes it, and is reported', async () => {
  const { handed, handOver } = follow()
  const faults: string[] = []
  const counter = makeUsageCounter({
    timing: TIMING,
    handOver: counts => (counts.some(({ agent }) => agent === 2) ? Promise.reject(new Error('bad')) : handOver(counts)),
    onFault: task => void faults.push(task),
  })
  for (const agent of [1, 2, 3]) counter.issued(agent, tokenAt(AT))
  await counter.settle()
  assert.deepEqual(
    handed.flat().map(({ agent }) => agent),
    [1, 3],
  )
  assert.deepEqual(faults, ['usage counts'])
})

test('a thread counts a bounded number of agents, and reports what it could not count', async () => {
  const { handed, handOver } = follow()
  const faults: unknown[] = []
  const counter = makeUsageCounter({ timing: TIMING, handOver, onFault: (_, fault) => void faults.push(fault) })
  for (let agent = 1; agent <= COUNTED_AGENTS_MAX + 3; agent += 1) counter.refused(agent, 'invalid_scope')
  counter.refused(1, 'invalid_target')
  await counter.settle()
  assert.equal(handed.flat().length, COUNTED_AGENTS_MAX)
  assert.equal(handed.flat()[0]?.refused, 2)
  assert.deepEqual(faults.map(String), ['Error: The usage of 3 requests was not counted.'])
})

const usageOf = (name: string): AgentUsage => ({
  agentId: name,
  name,
  owner: null,
  state: 'active',
  tokensLastMinute: 0,
  tokensLastHour: 0,
  tokensLastDay: 0,
  refusals: 0,
  lastIssuedAt: null,
  lastUsedAt: null,
  liveTokens: { count: 0, isExact: true },
})

test('an answer is given again for a second and for no more agents, one is read at a time, and a failure is not kept', async () => {
  let [now, reads, under] = [0, 0, 0]
  let fails = false
  const list = makeBuffered(
    async limit => {
      reads += 1
      under += 1
      assert.equal(under, 1)
      await Promise.resolve()
      under -= 1
      if (fails) throw new Unavailable('not now')
      return Array.from({ length: Math.min(limit, 3) }, (_, n) => usageOf(`${reads}.${n}`))
    },
    TIMING,
    () => now,
  )
  const names = async (limit: number) => (await list(limit)).map(({ name }) => name)
  assert.deepEqual(await Promise.all([names(2), names(2), names(1)]), [['1.0', '1.1'], ['1.0', '1.1'], ['1.0']])
  assert.deepEqual(await names(3), ['2.0', '2.1', '2.2'])
  now = 999
  assert.deepEqual(await names(3), ['2.0', '2.1', '2.2'])
  now = 1000
  fails = true
  await assert.rejects(names(1), Unavailable)
  fails = false
  assert.deepEqual(await names(1), ['4.0'])
})
