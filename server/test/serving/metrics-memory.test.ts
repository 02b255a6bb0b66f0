// The memory of metrics: what is exposed is the sum of what all threads observed, in buckets that cover every value.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import * as fc from 'fast-check'
import { boundsOf, bucketsOf, makeBucketOf } from '../../src/metrics/buckets.ts'
import { makeLayout } from '../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../src/metrics/memory.ts'
import { type Histogram, readMemory } from '../../src/metrics/read-memory.ts'
import type { MetricName } from '../../src/ports/metrics.ts'

const LISTS = { operations: ['issueToken', 'introspectToken'], codes: ['invalid_client'], tasks: ['retention'] }
const LAYOUT = makeLayout(LISTS)

const openThreads = (count: number) => {
  const slabs = Array.from({ length: count }, () => makeSlab(LAYOUT))
  const threads = slabs.map(slab => openRecorder({ lists: LISTS, slab }))
  const seriesOf = (name: MetricName) => readMemory(LAYOUT, slabs).find(family => family.name === name)?.series ?? []
  const valueOf = (name: MetricName, labels: Readonly<Record<string, string>>) =>
    seriesOf(name).find(one => JSON.stringify(one.labels) === JSON.stringify(labels))?.value
  return { slabs, threads, seriesOf, valueOf }
}

const KINDS = ['seconds', 'counts'] as const

test('a bucket holds the values that are at most its bound and above the bound before', () => {
  for (const kind of KINDS) {
    const [bounds, bucketOf] = [boundsOf(kind), makeBucketOf(kind)]
    assert.equal(bucketsOf(kind), bounds.length + 1)
    const expected = (value: number): number => bounds.filter(bound => bound < value).length
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2 * (bounds.at(-1) ?? 0), noNaN: true }), value => {
        assert.equal(bucketOf(value), expected(value))
      }),
    )
    for (const [n, bound] of bounds.entries()) {
      assert.ok(Number.isInteger(Math.log2(bound)))
      assert.deepEqual([bucketOf(bound), bucketOf(bound * (1 + 1e-12))], [n, n + 1])
    }
    for (const tiny of [0, -1, Number.NaN, Number.MIN_VALUE]) assert.equal(bucketOf(tiny), 0)
    for (const huge of [1e9, Number.POSITIVE_INFINITY]) assert.equal(bucketOf(huge), bounds.length)
  }
})

const observation = fc.record({
  thread: fc.integer({ min: 0, max: 2 }),
  operation: fc.constantFrom('issueToken', 'introspectToken', 'unheard of', '__proto__'),
  value: fc.double({ min: 0, max: 100, noNaN: true }),
})

test('what is read is the sum of what every thread observed, and an unknown operation counts as other', () => {
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 60 }), observations => {
      const { threads, valueOf } = openThreads(3)
      for (const { thread, operation, value } of observations) {
        threads[thread]?.observe('mintmark_request_seconds', { operation }, value)
        threads[thread]?.add('mintmark_requests_total', { operation, outcome: 'success' })
      }
      for (const operation of [...LISTS.operations, 'other']) {
        const own = observations.filter(one =>
          operation === 'other' ? !LISTS.operations.includes(one.operation) : one.operation === operation,
        )
        const counted = valueOf('mintmark_requests_total', { operation, outcome: 'success' })
        assert.equal(counted, own.length)
        const found = valueOf('mintmark_request_seconds', { operation })
        if (own.length === 0) {
          assert.equal(found, undefined, 'A histogram without a value is not shown.')
          continue
        }
        assert.ok(typeof found === 'object')
        const total = own.reduce((sum, { value }) => sum + value, 0)
        assert.ok(Math.abs(found.sum - total) <= 1e-9 * (1 + total))
        assert.deepEqual([...found.buckets], bucketsExpected(own.map(({ value }) => value)))
        assert.equal(found.count, own.length)
      }
    }),
  )
})

const bucketsExpected = (values: readonly number[]): number[] => {
  const buckets = Array.from({ length: bucketsOf('seconds') }, () => 0)
  for (const value of values)
    buckets[makeBucketOf('seconds')(value)] = (buckets[makeBucketOf('seconds')(value)] ?? 0) + 1
  return buckets
}

test('a series that is opened once takes what add and observe would, and is the same series', () => {
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 40 }), observations => {
      const [named, opened] = [openThreads(1), openThreads(1)]
      const labelsOf = (operation: string) => ({ operation, outcome: 'refused' }) as const
      for (const { operation, value } of observations) {
        named.threads[0]?.observe('mintmark_request_seconds', { operation }, value)
        named.threads[0]?.observe('mintmark_group_requests', { group: 'introspect' }, value)
        named.threads[0]?.add('mintmark_requests_total', labelsOf(operation), 2)
        opened.threads[0]?.histogram('mintmark_request_seconds', { operation })(value)
        opened.threads[0]?.histogram('mintmark_group_requests', { group: 'introspect' })(value)
        const count = opened.threads[0]?.counter('mintmark_requests_total', labelsOf(operation))
        count?.()
        count?.()
      }
      assert.deepEqual(opened.slabs, named.slabs)
    }),
  )
})

test('no two series share a cell', () => {
  const { threads, slabs } = openThreads(1)
  for (const { name, row, series } of LAYOUT.places) {
    const lists = Object.entries(row.labels).map(([label, list]): [string, readonly string[]] => [
      label,
      typeof list === 'string' ? [...LISTS[list], 'other'] : list,
    ])
    let combinations: Record<string, string>[] = [{}]
    for (const [label, values] of lists) {
      combinations = combinations.flatMap(one => values.map(value => ({ ...one, [label]: value })))
    }
    assert.equal(combinations.length, series, name)
    for (const [n, labels] of combinations.entries()) {
      // The table pairs each name with its labels, which the compiler cannot follow.
      const record = threads[0] as unknown as Record<string, (name: string, labels: object, value: number) => void>
      const method = row.kind === 'counter' ? 'add' : row.kind === 'gauge' ? 'set' : 'observe'
      record[method]?.(name, labels, n + 1)
    }
    const shown = readMemory(LAYOUT, slabs).find(family => family.name === name)?.series ?? []
    assert.deepEqual(
      shown.map(({ labels, value }) => ({ labels, value: typeof value === 'object' ? value.sum : value })),
      combinations.map((labels, n) => ({ labels, value: n + 1 })),
      name,
    )
  }
})

test('a thread that is replaced goes on with the counters of its predecessor, and without its gauges', () => {
  const { threads, slabs, valueOf, seriesOf } = openThreads(2)
  assert.deepEqual(seriesOf('mintmark_connections'), [], 'A gauge that nobody has set is not shown.')
  for (const thread of threads) {
    thread.set('mintmark_connections', {}, 3)
    thread.add('mintmark_tokens_issued_total', {}, 2)
  }
  assert.equal(valueOf('mintmark_connections', {}), 6)
  const [, slab = makeSlab(LAYOUT)] = slabs
  const successor = openRecorder({ lists: LISTS, slab })
  assert.equal(valueOf('mintmark_connections', {}), 3)
  successor.add('mintmark_tokens_issued_total', {})
  assert.equal(valueOf('mintmark_tokens_issued_total', {}), 5)
})

test('a counter and a sum never fall, whatever is recorded', () => {
  const { threads, valueOf } = openThreads(1)
  for (const by of [1, -5, Number.NaN]) {
    threads[0]?.add('mintmark_tokens_issued_total', {}, by)
    threads[0]?.observe('mintmark_gc_seconds', { thread: 'main', kind: 'minor' }, by)
  }
  assert.equal(valueOf('mintmark_tokens_issued_total', {}), 1)
  const { sum, count } = valueOf('mintmark_gc_seconds', { thread: 'main', kind: 'minor' }) as Histogram
  assert.deepEqual({ sum, count }, { sum: 1, count: 3 })
})

const PROGRAM = `
  const { workerData } = require('node:worker_threads')
  import(workerData.module).then(({ openRecorder }) => {
    const metrics = openRecorder(workerData.memory)
    for (let n = 0; n < 1000; n += 1) metrics.add('mintmark_tokens_issued_total', {})
    process.exit()
  })`

test('what another thread recorded until it was ended can be read', async () => {
  const slab = makeSlab(LAYOUT)
  const given = {
    module: new URL('../../src/metrics/memory.ts', import.meta.url).href,
    memory: { lists: LISTS, slab },
  }
  await once(new Worker(PROGRAM, { eval: true, workerData: given }), 'exit')
  const issued = readMemory(LAYOUT, [slab]).find(({ name }) => name === 'mintmark_tokens_issued_total')
  assert.deepEqual(issued?.series, [{ labels: {}, value: 1000 }])
})
