// Long work in the time that a thread has to spare: in what order its steps are run, and what comes between them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { TIMING } from '../../src/ports/timing.ts'
import { makeIdleTime } from '../../src/http/wire/idle-time.ts'

test('steps are run one at a time and in order, and each gets its outcome', async () => {
  const idleTime = makeIdleTime(TIMING)
  const log: string[] = []
  const step = (name: string) => async (): Promise<string> => {
    log.push(`${name} begins`)
    await turn()
    log.push(`${name} ends`)
    return name
  }
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(name => idleTime(step(name)))), ['a', 'b', 'c'])
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('a step that fails rejects the promise of its caller, and the next one is run', async () => {
  const idleTime = makeIdleTime(TIMING)
  const failing = idleTime(() => Promise.reject(new Error('no')))
  const thrown = idleTime(() => {
    throw new Error('thrown')
  })
  const next = idleTime(() => Promise.resolve('next'))
  await assert.rejects(failing, /^Error: no$/)
  await assert.rejects(thrown, /^Error: thrown$/)
  assert.equal(await next, 'next')
})

test('the event loop turns between two steps that have nothing to wait for', async () => {
  const idleTime = makeIdleTime(TIMING)
  let turns = 0
  const counting = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) {
      await turn()
      turns += 1
    }
  }
  await idleTime(() => Promise.resolve())
  const counted = counting()
  assert.ok((await idleTime(() => Promise.resolve(turns))) > 0)
  await counted
})
