// Stands between a test that waits for a command without going on, and the process that runs it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { type Ended, GIVE_UP_MS, type Order, type Task } from './command-order.ts'

const LOADED_FIRST = ['../../server/test/suites/resolve-sources.ts', 'quick-waits.ts'].map(path =>
  join(import.meta.dirname, path),
)

let host: ChildProcess | undefined

const hostFor = (environment: Order['environment']): ChildProcess => {
  if (host?.connected === true) return host
  host = fork(join(import.meta.dirname, 'command-host.ts'), {
    env: environment,
    // What else the tests are started with is named from the root, and the command runs in a folder of its own.
    execArgv: LOADED_FIRST.flatMap(path => ['--import', path]),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return host
}

const NO_OUTCOME: Ended = { status: null, stdout: '', stderr: '' }

/** Runs the task; the exit code is null if the process ends abnormally or takes too long. */
const runIn = async (child: ChildProcess, task: Task): Promise<Ended> => {
  const over = new AbortController()
  const { signal } = over
  const late = setTimeout(() => child.kill('SIGKILL'), GIVE_UP_MS)
  const outcome = once(child, 'message', { signal }) as Promise<[Ended]>
  const end = once(child, 'exit', { signal }).then(() => [NO_OUTCOME] as const)
  child.send(task)
  try {
    const [ended] = await Promise.race([outcome, end])
    return ended
  } finally {
    clearTimeout(late)
    over.abort()
    await Promise.allSettled([outcome, end])
  }
}

let before: Promise<unknown> = Promise.resolve()

const perform = async ({ task, environment, port, done }: Order): Promise<void> => {
  const ended = await runIn(hostFor(environment), task)
  port.postMessage(ended)
  Atomics.store(done, 0, 1)
  Atomics.notify(done, 0)
}

parentPort?.on('message', (order: Order) => {
  before = before.then(() => perform(order))
})
