// Deadlines of work that waits: each by its own time, whatever else waits, and one timer for all of them.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Unavailable } from '../../src/domain/refusal.ts'
import { makeDeadline } from '../../src/ports/deadline.ts'
import { TIMING } from '../../src/ports/timing.ts'

const never = (): Promise<string> => new Promise(() => undefined)

/** A deadline of a second by a clock that `pass` moves, and the outcomes in the order in which they came. */
const startAt = (t: TestContext, start: number) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = start
  const inTime = makeDeadline({ monotonic: () => now, timing: TIMING }, 1000, 'late')
  const outcomes: string[] = []
  const watch = (name: string, work: Promise<string>, until?: number): void => {
    inTime(work, until).then(
      outcome => outcomes.push(`${name} ${outcome}`),
      (fault: unknown) => outcomes.push(`${name} ${fault instanceof Unavailable ? fault.message : 'fault'}`),
    )
  }
  const pass = async (ms: number): Promise<readonly string[]> => {
    now += ms
    t.mock.timers.tick(ms)
    for (let n = 0; n < 10; n += 1) await Promise.resolve()
    return outcomes
  }
  return { watch, pass }
}

test('work that takes too long is Unavailable, and work that ends in time passes its outcome on', async t => {
  const { watch, pass } = startAt(t, 500)
  watch('slow', never())
  watch('done', Promise.resolve('result'))
  watch('failed', Promise.reject(new Error('no')))
  assert.deepEqual(await pass(900), ['done result', 'failed fault'])
  assert.deepEqual(await pass(100), ['done result', 'failed fault', 'slow late'])
})

test('a deadline that began earlier does not wait for those of later work', async t => {
  const { watch, pass } = startAt(t, 0)
  watch('later', never())
  watch('earlier', never(), 300)
  assert.deepEqual(await pass(300), ['earlier late'])
  assert.deepEqual(await pass(700), ['earlier late', 'later late'])
})

test('the deadline goes on for work that comes after all other work has ended', async t => {
  const { watch, pass } = startAt(t, 0)
  watch('first', Promise.resolve('result'))
  await pass(0)
  await pass(500)
  watch('second', never())
  assert.deepEqual(await pass(1000), ['first result', 'second late'])
})
