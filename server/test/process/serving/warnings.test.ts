// What a running service writes on standard error: events, also where Node warns of something or an error ends it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts, makeFolder, run, serveVariables, start } from '../../../../testkit/commands/run-mintmark.ts'

/** Loaded into every thread: each other one warns as it starts, the main one at the first signal, and throws at the second. */
const WARNING = `
  import { isMainThread } from 'node:worker_threads'
  const throwLater = () => process.once('SIGWINCH', () => { throw new Error('nobody catches this') })
  const warn = () => process.emitWarning('of a thread')
  if (isMainThread) process.once('SIGWINCH', () => { warn(); throwLater() })
  else warn()
`

type Line = { readonly event: string; readonly err?: { readonly message: string } }

const countWarnings = (log: string): number => log.split('"node_warning"').length - 1

test('a warning of Node and an error that ends the process are events of the log', { timeout: 60_000 }, async t => {
  const [folder, [port]] = [makeFolder(t), await freePorts()]
  const own = serveVariables(port)
  assert.equal(run(folder, ['migrate'], own).status, 0)
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(WARNING)}`
  const variables = { ...own, NODE_OPTIONS }
  const running = await start(t, folder, { args: ['serve'], variables, ready: /another audience/ })
  running.signal('SIGWINCH')
  // Of the main, the writing and the serving thread.
  while (countWarnings(running.errors()) < 3) await delay(20)
  running.signal('SIGWINCH')
  const { status, stderr } = await running.ended()
  assert.equal(status, 1)
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
  const failures = lines.filter(({ event }) => event === 'process_failed').map(({ err }) => err?.message)
  // What the shutdown still does may be logged after it.
  assert.deepEqual(failures, ['nobody catches this'])
})
