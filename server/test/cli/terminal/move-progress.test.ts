// What a person at a terminal sees while a store is moved.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineOf, makeMoveProgress } from '../../../src/cli/local/migrate-store.ts'
import { TIMING } from '../../../src/ports/timing.ts'

test('a line shows rows, the pace, and how long it takes at that pace', () => {
  const step = { step: 'copied', what: 'token', rows: 400_000, of: 1_000_000 }
  assert.equal(lineOf(step, 20_000), 'token: 400,000 of 1,000,000 rows copied, 20,000 a second, 30 s left')
  assert.equal(lineOf(step, 0), 'token: 400,000 of 1,000,000 rows copied')
  // More came meanwhile.
  assert.equal(lineOf({ ...step, rows: 1_000_001 }, 1.4), 'token: 1,000,001 of 1,000,001 rows copied, 1 a second')
})

test('nothing is printed where nobody looks, nor with --json', () => {
  const written: string[] = []
  const output = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) > 0 })
  for (const progress of [
    makeMoveProgress(true, TIMING, output(true)),
    makeMoveProgress(false, TIMING, output(false)),
  ]) {
    progress.report('copied', 'token', 1, 2)
    progress.end()
  }
  assert.deepEqual(written, [])
  const progress = makeMoveProgress(false, TIMING, output(true))
  progress.report('copied', 'token', 1, 2)
  progress.end()
  assert.deepEqual(written, ['\rtoken: 1 of 2 rows copied\u001b[K', '\r\u001b[K'])
})
