// A drill that fails, and one whose parts cannot be ended, come to their result all the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { performAll } from '../drill.ts'

const failing = (message: string) => async (): Promise<void> => {
  throw new Error(message)
}

test('what stops a drill is a violation by the time its parts end, the last first', async () => {
  const violations: string[] = []
  const ended: string[] = []
  await performAll(violations, async started => {
    started.defer(() => void ended.push(`first, after ${violations.length}`))
    started.defer(() => void ended.push(`last, after ${violations.length}`))
    await failing('no clients')()
  })
  assert.deepEqual(violations, ['The drill could not go on: no clients'])
  assert.deepEqual(ended, ['last, after 1', 'first, after 1'])
})

test('parts that cannot be ended are a violation each, and the others are ended', async () => {
  const violations: string[] = []
  const ended: string[] = []
  await performAll(violations, async started => {
    started.defer(() => void ended.push('first'))
    started.defer(failing('second'))
    started.defer(failing('third'))
    started.defer(failing('fourth'))
  })
  const reported = ['fourth', 'third', 'second'].map(name => `The drill could not be ended: ${name}`)
  assert.deepEqual([violations, ended], [reported, ['first']])
})

test('a drill that goes well leaves no violation', async () => {
  const violations: string[] = []
  let isEnded = false
  await performAll(violations, async started => {
    started.defer(() => void (isEnded = true))
  })
  assert.deepEqual([violations, isEnded], [[], true])
})
