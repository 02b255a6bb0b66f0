// What is said of chosen tokens while they end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askEach } from '../src/acts/ask-each.ts'
import { formatProgress } from '../src/acts/progress.ts'

const NONE = { failures: [], before: 0 }

test('of a token whose end was not answered nothing is claimed', () => {
  const failure = { id: 'any', message: 'It came to nothing.' }
  const failures = [
    { ...failure, isRefused: true },
    { ...failure, isRefused: false },
  ]
  assert.equal(formatProgress({ ...NONE, done: 3, of: 4 }, 'ended'), '3 of 4 ended')
  assert.equal(
    formatProgress({ ...NONE, done: 3, of: 4, failures }, 'ended'),
    '1 of 4 ended, 1 not, of 1 it is not known',
  )
})

test('what another act did, and what was not asked for, is not claimed either', async () => {
  const stop = new AbortController()
  const seen: string[] = []
  const progress = await askEach({
    ids: ['a', 'b', 'c', 'd'],
    ask: id => {
      if (id === 'b') return Promise.reject(new Error('no'))
      if (id === 'c') stop.abort()
      return Promise.resolve({ at: id, isDoneNow: id !== 'a' })
    },
    signal: stop.signal,
    onProgress: one => seen.push(formatProgress(one, 'ended')),
  })
  assert.deepEqual(progress.left, ['b', 'd'])
  assert.equal(progress.since, 'c')
  assert.equal(seen[0], '0 of 4 ended')
  assert.equal(
    formatProgress(progress, 'ended', true),
    '1 of 4 ended, 1 ended before this was asked for, 1 not, 1 not asked for',
  )
})
