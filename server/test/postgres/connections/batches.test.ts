// What is asked of the database goes in batches: who goes with whom, and how many are under way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Unavailable } from '../../../src/domain/refusal.ts'
import { makeBatches } from '../../../src/store/postgres/hot/batches.ts'
import type { Connection } from '../../../src/store/postgres/connection/connection.ts'
import { makeInFlightCount } from '../../../src/store/postgres/hot/batches.ts'
import type { Pool } from '../../../src/store/postgres/connection/pool.ts'

const CONNECTION = {} as Connection
const POOL: Pool = { use: work => work(CONNECTION), close: () => undefined }

type InFlightBatch = { readonly batch: readonly number[]; readonly land: () => void }

/** Batches that land when the test says so, each so long after it left as the clock was moved on. */
const makeWorld = (inFlightMax: number, sizeMax: number, pool = POOL) => {
  const sent: InFlightBatch[] = []
  const clock = { now: 0 }
  const ask = makeBatches<number, number>({
    pool,
    inFlightMax,
    sizeMax,
    monotonic: () => clock.now,
    send: async (_, batch) => {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      sent.push({ batch, land: () => resolve(undefined) })
      await promise
      return batch.map(n => 10 * n)
    },
  })
  /** One batch after another, alone: each takes so long. */
  const fly = async (tooks: readonly number[]): Promise<void> => {
    for (const took of tooks) {
      const asked = ask(0, 0)
      await turn()
      clock.now += took
      sent.at(-1)?.land()
      await asked
    }
    sent.splice(0)
  }
  return { sent, ask, fly }
}

test('what is asked while a batch is under way is not answered by it', async () => {
  const { sent, ask } = makeWorld(1, 2)
  const batches = (): readonly (readonly number[])[] => sent.map(({ batch }) => batch)
  const first = [ask(1, 0), ask(2, 0), ask(3, 0)]
  await turn()
  const late = ask(4, 0)
  await turn()
  assert.deepEqual(batches(), [[1, 2]])
  sent[0]?.land()
  assert.deepEqual(await Promise.all(first.slice(0, 2)), [10, 20])
  await turn()
  assert.deepEqual(batches(), [
    [1, 2],
    [3, 4],
  ])
  sent[1]?.land()
  assert.deepEqual(await Promise.all([first[2], late]), [30, 40])
})

test('what is asked again while a batch with the same question is under way is sent again', async () => {
  const { sent, ask } = makeWorld(1, 2)
  const first = ask(1, 0)
  await turn()
  const again = ask(1, 0)
  await turn()
  assert.equal(sent.length, 1)
  sent[0]?.land()
  assert.equal(await first, 10)
  await turn()
  assert.deepEqual(
    sent.map(({ batch }) => batch),
    [[1], [1]],
  )
  sent[1]?.land()
  assert.equal(await again, 10)
})

test('one that is asked alone leaves in the same turn', async () => {
  const { sent, ask } = makeWorld(4, 100)
  const asked = ask(1, 0)
  await Promise.resolve()
  await Promise.resolve()
  assert.deepEqual(sent[0]?.batch, [1])
  sent[0]?.land()
  assert.equal(await asked, 10)
})

/** How many leave where somebody asks in each turn, and none lands. */
const inFlightAfter = async (
  tooks: readonly number[],
  inFlightMax: number,
): Promise<readonly (readonly number[])[]> => {
  const { sent, ask, fly } = makeWorld(inFlightMax, 100)
  await fly(tooks)
  const asked: Promise<number>[] = []
  for (let n = 1; n <= 10; n += 1) {
    asked.push(ask(n, 0))
    await turn()
  }
  const left = sent.map(({ batch }) => batch)
  while (sent.length > 0) {
    sent.shift()?.land()
    await turn()
  }
  assert.deepEqual(await Promise.all(asked), [10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
  return left
}

test('where the way is long, another batch leaves while others are on it, up to the most', async () => {
  assert.deepEqual(await inFlightAfter([4, 4, 4, 4], 5), [[1], [2], [3], [4], [5]])
})

test('where the work is long, two are sent, and a caller that asks then waits for the next and shares it', async () => {
  assert.deepEqual(await inFlightAfter([0.2, 4, 4, 4, 4, 4, 4, 4], 5), [[1], [2]])
})

test('a batch that finds all taken when a connection is free sends nothing', async () => {
  const free: (() => void)[] = []
  const pool: Pool = {
    use: async work => {
      await new Promise<void>(resolve => free.push(resolve))
      return work(CONNECTION)
    },
    close: () => undefined,
  }
  const { sent, ask } = makeWorld(2, 100, pool)
  const asked = [ask(1, 0), ask(2, 0)]
  await turn()
  assert.equal(free.length, 2)
  for (const go of free) go()
  await turn()
  assert.deepEqual(
    sent.map(({ batch }) => batch),
    [[1, 2]],
  )
  sent[0]?.land()
  assert.deepEqual(await Promise.all(asked), [10, 20])
})

/** Batches of which one with 13 in it fails so, at once. */
const failing = (fault: Error) => {
  const sent: (readonly number[])[] = []
  const clock = { now: 0 }
  const ask = makeBatches<number, number>({
    pool: POOL,
    inFlightMax: 1,
    sizeMax: 100,
    monotonic: () => clock.now,
    send: async (_, batch) => {
      sent.push(batch)
      clock.now += 10
      if (batch.includes(13)) throw fault
      return batch.map(n => 10 * n)
    },
  })
  const outcomes = (asked: readonly Promise<number>[]): Promise<readonly unknown[]> =>
    Promise.all(asked.map(answer => answer.catch((reason: unknown) => reason)))
  return { ask, sent, outcomes }
}

test('a batch that fails is sent one by one, and fails for the culprit alone', async () => {
  const fault = new Error('seeded')
  const { ask, sent, outcomes } = failing(fault)
  assert.deepEqual(await outcomes([1, 13, 3].map(n => ask(n, 1000))), [10, fault, 30])
  assert.deepEqual(sent, [[1, 13, 3], [1], [13], [3]])
})

test('of a batch that failed nothing is begun whose time is up', async () => {
  const fault = new Error('seeded')
  const { ask, sent, outcomes } = failing(fault)
  const [one, late] = await outcomes([ask(1, 1000), ask(2, 15), ask(13, 1000)])
  assert.equal(one, 10)
  assert.ok(late instanceof Unavailable)
  assert.deepEqual(sent, [[1, 2, 13], [1], [13]])
})

test('a batch of which it is unknown whether it was done is sent once', async () => {
  const unknown = new Unavailable('the connection was lost after COMMIT')
  const { ask, sent, outcomes } = failing(unknown)
  assert.deepEqual(await outcomes([1, 13, 3].map(n => ask(n, 1000))), [unknown, unknown, unknown])
  assert.deepEqual(sent, [[1, 13, 3]])
})

const allowedAfter = (tooks: readonly number[], most: number): number => {
  const { allowed, measure } = makeInFlightCount(most)
  for (const took of tooks) measure(took)
  return allowed()
}

const times = (count: number, took: number): readonly number[] => Array.from({ length: count }, () => took)

test('as many are under way as the round trip holds of the work in it, and at least two', () => {
  assert.equal(allowedAfter([], 8), 2)
  assert.equal(allowedAfter(times(50, 4), 8), 8)
  // A way of 3, and 1 of work.
  assert.equal(allowedAfter([3, ...times(60, 4)], 8), 4)
  assert.equal(allowedAfter([3, ...times(60, 4)], 3), 3)
  assert.equal(allowedAfter([0.1, ...times(60, 4)], 8), 2)
})

test('a way that has become longer is found after some hundred batches', () => {
  const nearThenFar = [...times(100, 1), ...times(60, 9)]
  assert.equal(allowedAfter(nearThenFar, 8), 2)
  assert.equal(allowedAfter([...nearThenFar, ...times(256, 9)], 8), 8)
})
