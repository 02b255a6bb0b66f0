// What a thread measures of its event loop, whether it is busy or at rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../../testkit/processes/until.ts'
import { makeLayout } from '../../../src/metrics/layout.ts'
import { makeSlab, openRecorder } from '../../../src/metrics/memory.ts'
import { type Histogram, readMemory } from '../../../src/metrics/read-memory.ts'
import { watchThread } from '../../../src/metrics/watch-thread.ts'
import { TIMING } from '../../../src/ports/timing.ts'

const BLOCKED_MS = 600
/** A delay that began up to a sample before it was looked for is shown by so much shorter. */
const SHOWN_SECONDS = 0.45

const block = (): void => {
  const end = performance.now() + BLOCKED_MS
  while (performance.now() < end);
}

test('a thread that has rested for seconds shows the next long delay of its event loop, and so does one at work', async () => {
  const lists = { operations: [], codes: [], tasks: [] }
  const layout = makeLayout(lists)
  const slab = makeSlab(layout)
  watchThread(openRecorder({ lists, slab }), 'main', TIMING)
  const delays = (): Histogram | undefined =>
    readMemory(layout, [slab]).find(({ name }) => name === 'mintmark_event_loop_delay_seconds')?.series[0]?.value as
      | Histogram
      | undefined
  const measured = (count: number) =>
    until(`${count} seconds are measured`, () => Promise.resolve((delays()?.count ?? 0) >= count))
  await measured(4)
  const before = delays()?.sum ?? 0
  block()
  await measured(6)
  const rested = delays()?.sum ?? 0
  assert.ok(rested - before >= SHOWN_SECONDS, `${rested - before} s of a delay after a rest`)
  block()
  await measured((delays()?.count ?? 0) + 2)
  assert.ok((delays()?.sum ?? 0) - rested >= SHOWN_SECONDS, 'a delay of a thread at work')
})
