// When a process whose threads end is well again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeThreadEndCells, noteThreadEnd, withThreadEnds } from '../../src/compose/thread-ends.ts'
import type { StoreHealth } from '../../src/ports/ports.ts'

const WINDOW_MS = 60_000
const ENDS_MAX = 5

const storeThat = (check: string | null): StoreHealth => ({
  check: async () => check,
  isAnySuspended: async () => false,
})

const makeProcess = () => {
  let now = 1_000_000
  const cells = makeThreadEndCells()
  const health = withThreadEnds(storeThat(null), cells, () => now)
  return {
    end: () => noteThreadEnd(cells, now),
    wait: (ms: number) => void (now += ms),
    isWell: async () => (await health.check()) === null,
  }
}

test('a process is well until its fifth thread ends within a minute, and again a minute after the first of them', async () => {
  const { end, wait, isWell } = makeProcess()
  for (let ends = 0; ends < ENDS_MAX; ends += 1) {
    assert.equal(await isWell(), true)
    end()
    wait(1000)
  }
  assert.equal(await isWell(), false)
  wait(WINDOW_MS - 1000 * ENDS_MAX - 1)
  assert.equal(await isWell(), false)
  wait(1)
  assert.equal(await isWell(), true)
  end()
  assert.equal(await isWell(), false)
})

test('threads that end less often leave it well', async () => {
  const { end, wait, isWell } = makeProcess()
  for (let ends = 0; ends < 100; ends += 1) {
    end()
    wait(WINDOW_MS / (ENDS_MAX - 1))
    assert.equal(await isWell(), true)
  }
})

test('what is wrong with the store is said where the threads are well', async () => {
  const health = withThreadEnds(storeThat('The disk is full.'), makeThreadEndCells())
  assert.equal(await health.check(), 'The disk is full.')
})
