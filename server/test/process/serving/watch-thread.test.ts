// What a thread measures of its event loop, whether it is busy or at rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../../src/metrics/memory.ts'
import { type Histogram, readMemory } from '../../../src/metrics/read-memory.ts'
import { watchThread } from '../../../src/metrics/watch-thread.ts'
import { TIMING } from '../../../src/ports/timing.ts'

const [PUBLISH_MS, SAMPLE_MS, BLOCKED_MS] = [250, 20, 300]
const timing = { ...TIMING, eventLoopPublishMs: PUBLISH_MS, restingEventLoopTimerMs: SAMPLE_MS }
/** A delay that began up to a sample before it was looked for is shown by so much shorter. */
const SHOWN_SECONDS = 0.25

const block = (): void => {
  const end = performance.now() + BLOCKED_MS
  while (performance.now() < end);
}

test('a thread that has rested shows the next long delay of its event loop, and so does one at work', async () => {
  const lists = { operations: [], codes: [], tasks: [] }
  const layout = makeLayout(lists)
  const slab = makeSlab(layout)
  watchThread(openRecorder({ lists, slab }), 'main', timing)
  const delays = (): Histogram | undefined =>
    readMemory(layout, [slab]).find(({ name }) => name === 'mintmark_event_loop_delay_seconds')?.series[0]?.value as
      | Histogram
      | undefined
  const count = (): number => delays()?.count ?? 0
  const sum = (): number => delays()?.sum ?? 0

  /** Waits until so many more are measured; the time at which the last was not yet. */
  const measured = async (times: number): Promise<number> => {
    const wanted = count() + times
    let seenAt = performance.now()
    while (count() < wanted) {
      seenAt = performance.now()
      await delay(5)
    }
    return seenAt
  }
  /** The same, and then until the first sample is taken, before which nothing is measured, and long before the next measure. */
  const sampled = async (times: number): Promise<void> => {
    let seenAt = await measured(times)
    await delay(2 * SAMPLE_MS)
    while (performance.now() - seenAt > PUBLISH_MS / 2) {
      seenAt = await measured(1)
      await delay(2 * SAMPLE_MS)
    }
  }
  await sampled(4)
  const before = sum()
  block()
  await sampled(1)
  const rested = sum()
  assert.ok(rested - before >= SHOWN_SECONDS, `${rested - before} s of a delay after a rest`)
  block()
  await measured(1)
  assert.ok(sum() - rested >= SHOWN_SECONDS, `${sum() - rested} s of a delay of a thread at work`)
})
