// How faults that end nothing stand in the log.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { makeFaultLog } from '../src/compose/log.ts'

const makeLog = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: (readonly [message: string, fields: object])[] = []
  const error = (fields: object, message: string): void => void lines.push([message, fields])
  return { report: makeFaultLog({ error }), pass: (ms: number) => t.mock.timers.tick(ms), take: () => lines.splice(0) }
}

const line = (task: string, faults: number, err: Error) => ['background work failed and goes on', { task, faults, err }]

test('the first fault of a task is logged at once, and those that follow once a minute with their count', t => {
  const { report, pass, take } = makeLog(t)
  const [first, second, third] = [new Error('one'), new Error('two'), new Error('three')]
  report('retention', first)
  assert.deepEqual(take(), [line('retention', 1, first)])
  report('retention', second)
  report('retention', third)
  assert.deepEqual(take(), [])
  pass(60_000)
  assert.deepEqual(take(), [line('retention', 3, third)])
  pass(60_000)
  assert.deepEqual(take(), [])
  report('retention', first)
  assert.deepEqual(take(), [line('retention', 4, first)])
})

test('tasks are counted apart', t => {
  const { report, take } = makeLog(t)
  const fault = new Error('one')
  report('retention', fault)
  report('partitions', fault)
  assert.deepEqual(take(), [line('retention', 1, fault), line('partitions', 1, fault)])
})

test('a rejection that nobody handles is reported and ends no thread', async t => {
  const program = `
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(import.meta.resolve('../src/compose/log.ts'))}).then(({ reportUnhandledRejections }) => {
      reportUnhandledRejections((task, fault) => parentPort.postMessage([task, fault.message]))
      parentPort.on('message', () => parentPort.postMessage('goes on'))
      Promise.reject(new Error('nobody waits'))
    })`
  const thread = new Worker(program, { eval: true })
  t.after(() => thread.terminate())
  assert.deepEqual(await once(thread, 'message'), [['unhandled rejection', 'nobody waits']])
  thread.postMessage('on?')
  assert.deepEqual(await once(thread, 'message'), ['goes on'])
})
