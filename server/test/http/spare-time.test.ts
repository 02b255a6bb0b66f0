// Long work in the time that a thread has to spare: in what order its steps are run, and what comes between them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { makeSpareTime } from '../../src/http/spare-time.ts'

test('steps are run one at a time and in order, and each is told what came of it', async () => {
  const spareTime = makeSpareTime()
  const log: string[] = []
  const step = (name: string) => async (): Promise<string> => {
    log.push(`${name} begins`)
    await turn()
    log.push(`${name} ends`)
    return name
  }
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(name => spareTime(step(name)))), ['a', 'b', 'c'])
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('a step that fails is told to who asked for it, and the next one is run', async () => {
  const spareTime = makeSpareTime()
  const failing = spareTime(() => Promise.reject(new Error('no')))
  const thrown = spareTime(() => {
    throw new Error('thrown')
  })
  const next = spareTime(() => Promise.resolve('next'))
  await assert.rejects(failing, /^Error: no$/)
  await assert.rejects(thrown, /^Error: thrown$/)
  assert.equal(await next, 'next')
})

test('the event loop turns between two steps that have nothing to wait for', async () => {
  const spareTime = makeSpareTime()
  let turns = 0
  const counting = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) {
      await turn()
      turns += 1
    }
  }
  await spareTime(() => Promise.resolve())
  const counted = counting()
  assert.ok((await spareTime(() => Promise.resolve(turns))) > 0)
  await counted
})
