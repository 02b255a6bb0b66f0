// What is said of chosen tokens while they end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatProgress } from '../src/acts/progress.ts'

test('of a token whose end was not answered nothing is claimed', () => {
  const failure = { id: 'any', message: 'It came to nothing.' }
  const failures = [
    { ...failure, isRefused: true },
    { ...failure, isRefused: false },
  ]
  assert.equal(formatProgress({ done: 3, of: 4, failures: [] }, 'ended'), '3 of 4 ended')
  assert.equal(formatProgress({ done: 3, of: 4, failures }, 'ended'), '1 of 4 ended, 1 not, of 1 it is not known')
})
