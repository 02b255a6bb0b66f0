// How faults that end nothing stand in the log, and how odd text does.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { ODD_TEXTS } from '../../../../testkit/parsers/hostile-inputs.ts'
import { makeFaultLog } from '../../../src/compose/log.ts'
import { TIMING } from '../../../src/ports/timing.ts'

const makeLog = (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: (readonly [message: string, fields: object])[] = []
  const error = (fields: object, message: string): void => void lines.push([message, fields])
  const report = makeFaultLog({ logger: { error }, timing: TIMING })
  return { report, pass: (ms: number) => t.mock.timers.tick(ms), take: () => lines.splice(0) }
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
    import(${JSON.stringify(import.meta.resolve('../../../src/compose/log.ts'))}).then(({ reportUnhandledRejections }) => {
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

const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

const PROGRAM = `
import { makeLogger } from ${JSON.stringify(import.meta.resolve('../../../src/compose/log.ts'))}
const texts = JSON.parse(process.env.TEXTS)
const logger = await makeLogger({ logLevel: 'info' })
for (const text of texts) {
  logger.warn({ reason: text, [text]: { inside: [text] }, err: new Error(text) }, text)
  logger.child({ bound: text }).error(text)
}`

test('a log line is one line of JSON, means what was logged, and obeys nobody', () => {
  const texts = Object.values(ODD_TEXTS)
  const env = { ...process.env, TEXTS: JSON.stringify(texts) }
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, UNPRINTABLE)
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map(one => JSON.parse(one) as Record<string, unknown>)
  assert.equal(lines.length, 2 * texts.length)
  for (const [n, text] of texts.entries()) {
    const [first = {}, second = {}] = lines.slice(2 * n)
    assert.deepEqual([first['msg'], first['reason'], first[text]], [text, text, { inside: [text] }])
    assert.equal((first['err'] as { message: string }).message, text)
    assert.deepEqual([second['msg'], second['bound']], [text, text])
  }
})
