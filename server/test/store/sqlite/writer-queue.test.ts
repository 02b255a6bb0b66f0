// The queues in front of the writing thread: which jobs make a group, and which wait while a caller pauses acts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { TIMING } from '../../../src/ports/timing.ts'
import type { JobName } from '../../../src/store/sqlite/writer/jobs.ts'
import { makePauseTimer, makeWriterQueue } from '../../../src/store/sqlite/writer/writer-queue.ts'
import { GROUP_MAX } from '../../../src/domain/one-by-one.ts'

const { port1: from } = new MessageChannel()
from.close()

/** A queue of jobs by name, numbered in order, and the groups that it makes. */
const fill = (...names: readonly JobName[]) => {
  let now = 0
  let arrived = 0
  const queue = makeWriterQueue(TIMING, () => now)
  const putOf = (pause: string | null, ...jobs: readonly JobName[]): void => {
    for (const job of jobs) queue.put({ message: { n: arrived++, sentAt: 0, deadline: now, job, input: pause }, from })
  }
  const put = (...jobs: readonly JobName[]): void => putOf(null, ...jobs)
  put(...names)
  return {
    queue,
    put,
    putOf,
    advance: (ms: number): void => void (now += ms),
    next: () => ({ jobs: queue.take().map(({ message }) => message.n), isEmpty: queue.isEmpty() }),
  }
}

const range = (start: number, end: number): readonly number[] =>
  Array.from({ length: end - start }, (_, n) => start + n)

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value)

test('an act that arrives behind a flood of new tokens is of the first group, and written after its tokens', () => {
  const { next } = fill(...times(2 * GROUP_MAX, 'insertTokens' as const), 'endToken')
  const act = 2 * GROUP_MAX
  assert.deepEqual(next(), { jobs: [...range(0, GROUP_MAX), act], isEmpty: false })
  assert.deepEqual(next(), { jobs: range(GROUP_MAX, act), isEmpty: true })
})

test('new tokens that arrive behind a flood of acts are of the first group', () => {
  const { next } = fill(...times(GROUP_MAX + 1, 'endToken' as const), 'insertTokens')
  assert.deepEqual(next(), { jobs: [GROUP_MAX + 1, ...range(0, GROUP_MAX)], isEmpty: false })
  assert.deepEqual(next(), { jobs: [GROUP_MAX], isEmpty: true })
})

test('a pause comes behind the acts that have arrived, and keeps back those that can refuse or end a token, and no other', () => {
  const { next, put } = fill('insertTokens', 'pauseActs', 'disableAgent')
  assert.deepEqual(next(), { jobs: [0, 2, 1], isEmpty: true })
  put('disableAgent', 'endToken', 'insertTokens', 'renewLease')
  assert.deepEqual(next(), { jobs: [5, 4, 6], isEmpty: true })
  put('resumeActs')
  assert.deepEqual(next(), { jobs: [3, 7], isEmpty: true })
})

test('a second pause waits for the end of the first, and for a group of acts', () => {
  const { next, put } = fill('pauseActs', 'pauseActs')
  assert.deepEqual(next(), { jobs: [0], isEmpty: true })
  put('disableAgent')
  assert.deepEqual(next(), { jobs: [], isEmpty: true })
  put('resumeActs', 'disableAgent')
  assert.deepEqual(next(), { jobs: [2, 3, 4, 1], isEmpty: true })
  put('disableAgent')
  assert.deepEqual(next(), { jobs: [], isEmpty: true })
})

test('a pause that is late when its turn comes keeps nothing back, and those behind it have their turn', () => {
  const { next, put, advance } = fill('pauseActs', 'pauseActs')
  advance(1)
  assert.deepEqual(next(), { jobs: [0, 1], isEmpty: true })
  put('disableAgent')
  assert.deepEqual(next(), { jobs: [2], isEmpty: true })
})

test('a pause that nobody ends is over after a second', () => {
  const { next, put, advance } = fill('pauseActs')
  next()
  put('disableAgent')
  advance(TIMING.actsPauseMs - 1)
  assert.deepEqual(next(), { jobs: [], isEmpty: true })
  advance(1)
  assert.deepEqual(next(), { jobs: [1], isEmpty: true })
})

test('a caller whose own pause is over does not end that of another, who ends it', () => {
  const { next, put, putOf, advance } = fill()
  putOf('first', 'pauseActs')
  next()
  put('disableAgent')
  advance(TIMING.actsPauseMs)
  assert.deepEqual(next(), { jobs: [1], isEmpty: true })
  putOf('second', 'pauseActs')
  next()
  putOf('first', 'resumeActs')
  put('disableAgent')
  assert.deepEqual(next(), { jobs: [3], isEmpty: true })
  putOf('second', 'resumeActs')
  assert.deepEqual(next(), { jobs: [4, 5], isEmpty: true })
})

test('a timer that fires before the pause is over is set again, so that acts wait for no other message', () => {
  const { queue, advance, put, next } = fill('pauseActs')
  const timers: { readonly fire: () => void; readonly ms: number }[] = []
  const written: number[] = []
  const turn = () => void written.push(...next().jobs)
  const endPauseInTime = makePauseTimer(queue, turn, (fire, ms) => timers.push({ fire, ms }))
  const fireLast = () => timers.at(-1)?.fire()
  turn()
  put('disableAgent')
  endPauseInTime()
  endPauseInTime()
  advance(TIMING.actsPauseMs - 0.5)
  fireLast()
  assert.deepEqual(written, [0])
  advance(1)
  fireLast()
  assert.deepEqual(written, [0, 1])
  assert.deepEqual(
    timers.map(({ ms }) => ms),
    [TIMING.actsPauseMs, 1],
  )
})
