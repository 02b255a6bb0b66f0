// The two lanes in front of the writing thread: which jobs make a group.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import type { JobName } from '../../../src/store/sqlite/writer/jobs.ts'
import { GROUP_JOBS_MAX, makeWriterQueue } from '../../../src/store/sqlite/writer/writer-queue.ts'

const { port1: from } = new MessageChannel()
from.close()

/** A queue of jobs by name, and the groups that it gives. */
const fill = (...names: readonly (JobName | 'hold')[]) => {
  const queue = makeWriterQueue()
  names.forEach((job, n) => {
    if (job === 'hold') queue.put({ message: { job, deadline: 0, port: from }, from })
    else queue.put({ message: { n, deadline: 0, job, input: null }, from })
  })
  return () => {
    const { jobs, hold } = queue.take()
    return { jobs: jobs.map(({ message }) => message.n), hold: hold !== undefined, isEmpty: queue.isEmpty() }
  }
}

const range = (start: number, end: number): readonly number[] =>
  Array.from({ length: end - start }, (_, n) => start + n)

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value)

test('an act that arrives behind a flood of new tokens is of the first group, and written after its tokens', () => {
  const next = fill(...times(2 * GROUP_JOBS_MAX, 'insertTokens' as const), 'endToken')
  const act = 2 * GROUP_JOBS_MAX
  assert.deepEqual(next(), { jobs: [...range(0, GROUP_JOBS_MAX), act], hold: false, isEmpty: false })
  assert.deepEqual(next(), { jobs: range(GROUP_JOBS_MAX, act), hold: false, isEmpty: true })
})

test('new tokens that arrive behind a flood of acts are of the first group', () => {
  const next = fill(...times(GROUP_JOBS_MAX + 1, 'endToken' as const), 'insertTokens')
  assert.deepEqual(next(), { jobs: [GROUP_JOBS_MAX + 1, ...range(0, GROUP_JOBS_MAX)], hold: false, isEmpty: false })
  assert.deepEqual(next(), { jobs: [GROUP_JOBS_MAX], hold: false, isEmpty: true })
})

test('a hold of the lock comes in its turn among the new tokens, and behind every act', () => {
  const next = fill('insertTokens', 'hold', 'insertTokens', 'hold', 'hold', 'disableAgent')
  assert.deepEqual(next(), { jobs: [0, 5], hold: true, isEmpty: false })
  assert.deepEqual(next(), { jobs: [2], hold: true, isEmpty: false })
  assert.deepEqual(next(), { jobs: [], hold: true, isEmpty: true })
  assert.deepEqual(next(), { jobs: [], hold: false, isEmpty: true })
})
