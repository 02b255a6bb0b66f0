// Limits of time over signals of the caller's, which may be anything.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeadline } from '../src/wire/deadline.ts'

test('a signal that cannot be listened to leaves no timer', () => {
  let timers = 0
  const after = () => {
    timers += 1
    return () => {
      timers -= 1
    }
  }
  const signal = new AbortController().signal
  Object.defineProperty(signal, 'addEventListener', {
    value: () => {
      throw new Error('not mine')
    },
  })
  assert.throws(() => startDeadline(after, 1000, signal, () => new Error('late')), /not mine/)
  assert.equal(timers, 0)
})
