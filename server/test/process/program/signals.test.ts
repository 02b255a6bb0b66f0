// Signals before a command handles any, and through those that start it: process 1 of a container, npx, and npm start.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import {
  environment,
  freePorts,
  makeFolder,
  PROGRAM,
  run,
  serveVariables,
  start,
  type Variables,
  waits,
} from '../../../../testkit/commands/run-mintmark.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const QUICK_PROGRAM = join(ROOT, 'testkit/commands/quick-main.ts')
const LIMIT = { timeout: 60_000 }

/** A process beside this one; whatever becomes of it, its standard output closes once nobody writes there any more. */
const begin = (
  t: TestContext,
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Variables,
): ChildProcess => {
  const child = spawn(program, args, { cwd, env: environment(env), stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  return child
}

const until = async (child: ChildProcess, ready: RegExp): Promise<void> => {
  let printed = ''
  for await (const text of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += String(text)
    if (ready.test(printed)) return
  }
  assert.fail(`It ended before it was ready: ${printed}`)
}

/** Shows the process to itself as process 1, of which the kernel drops each signal that it does not handle. */
const FIRST = `data:text/javascript,${encodeURIComponent(`
  Object.defineProperty(process, 'pid', { value: 1 })
  process.on('newListener', name => name === 'SIGTERM' && console.log('handled'))
`)}`

for (const [signal, code] of [['SIGTERM', 143] as const, ['SIGINT', 130] as const, ['SIGHUP', 129] as const]) {
  test(`as process 1 a command that waits for its input ends by itself at ${signal}`, LIMIT, async t => {
    const [folder, variables] = [makeFolder(t), serveVariables(1)]
    assert.equal(run(folder, ['migrate'], variables).status, 0)
    const child = begin(t, [process.execPath, '--import', FIRST, PROGRAM, 'leaked-secrets'], folder, variables)
    await until(child, /handled/)
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [code, null])
  })
}

test('SIGUSR1 opens no debugger of a service', LIMIT, async t => {
  const [folder, [port, debuggerPort]] = [makeFolder(t), await freePorts()]
  const variables = { ...serveVariables(port), NODE_OPTIONS: `--inspect-port=${debuggerPort}` }
  assert.equal(run(folder, ['migrate'], serveVariables(port)).status, 0)
  const running = await start(t, folder, { args: ['serve'], variables, ready: /another audience/ })
  running.signal('SIGUSR1')
  // Node would open it in these turns.
  for (let n = 0; n < 20; n += 1) assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
  await assert.rejects(once(connect(debuggerPort, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })
  assert.doesNotMatch(running.errors(), /Debugger/)
})

test('a signal ends no service as it stands once a thread of it serves', LIMIT, async t => {
  const [folder, [port]] = [makeFolder(t), await freePorts()]
  const variables = { ...serveVariables(port), MINTMARK_WORKERS: '2', MINTMARK_DRAIN_SECONDS: '0' }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const child = begin(t, [process.execPath, PROGRAM, 'serve'], folder, variables)
  const exit = once(child, 'exit')
  child.stdout?.resume()
  const isServing = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isServing())) assert.equal(child.exitCode, null)
  child.kill('SIGHUP')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
})

test('a service that npx started ends once the shell between them has ended', LIMIT, async t => {
  const [folder, [port]] = [makeFolder(t), await freePorts()]
  const variables = serveVariables(port)
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  const shell = ['sh', '-c', '"$@"; true', 'sh', process.execPath, QUICK_PROGRAM, 'serve']
  const byNpx = { ...variables, ...waits({ launcherPollMs: 20 }), npm_lifecycle_event: 'npx' }
  const child = begin(t, shell, folder, byNpx)
  await until(child, /another audience/)
  const closed = once(child, 'close')
  child.stdout?.resume()
  child.kill('SIGKILL')
  await closed
})

test('what npm start runs ends once the shell between them has ended', LIMIT, async t => {
  const folder = makeFolder(t)
  const program = join(folder, 'program.mjs')
  writeFileSync(program, "console.log('ready'); setInterval(() => undefined, 1000)")
  const shell = ['sh', '-c', '"$@"; true', 'sh', process.execPath, join(ROOT, 'setup.mjs'), program]
  const child = begin(t, shell, ROOT, { npm_lifecycle_event: 'start' })
  await until(child, /ready/)
  const closed = once(child, 'close')
  child.stdout?.resume()
  child.kill('SIGKILL')
  await closed
})
