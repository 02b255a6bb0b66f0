// Runs the program as a person would: a folder of its own, nothing from this environment. Most commands are run one after
// another by one process, which starts once; where the process itself is what is tested each has its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { devNull, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after } from 'node:test'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Timing } from '../../server/src/ports/timing.ts'
import { freePort } from '../processes/free-port.ts'
import { type Ended, GIVE_UP_MS, type Order, type Variables } from './command-order.ts'

/** What the processes of tests run: what the suite has built before it, or the sources. */
export const PROGRAM = resolve(import.meta.dirname, '../..', process.env['TEST_PROGRAM'] ?? 'server/src/main.ts')

/** The deadline of a service, which lives as long as its test: longer than a file may take, whose services start before its first test. */
const SERVICE_MS_MAX = 600_000

/** The program from its sources, with waits of a test. */
const QUICK_PROGRAM = resolve(import.meta.dirname, 'quick-main.ts')

export const KEY = Buffer.alloc(32, 7).toString('base64')

export type { Ended, Variables }

/** What `serve` does not start without, on this machine only, with one serving thread: each costs as much as a start. It ends at once. */
export const serveVariables = (port: number): Variables => ({
  MINTMARK_KEY_ENCRYPTION_KEY: KEY,
  MINTMARK_BASE_URL: `http://127.0.0.1:${port}`,
  MINTMARK_IDP_ISSUER: 'https://login.example.com',
  MINTMARK_IDP_AUDIENCE: 'mintmark',
  HOST: '127.0.0.1',
  PORT: String(port),
  MINTMARK_WORKERS: '1',
  MINTMARK_DRAIN_SECONDS: '0',
})

/** Waits of a test, as a variable of a command that `run` or `runAside` runs. */
export const waits = (timing: Partial<Timing>): Variables => ({ TEST_TIMING: JSON.stringify(timing) })

/** A test, or all of a file: what is to be done at its end. */
export type Scope = { readonly after: (work: () => unknown) => void }

/** The scope of what a hook of a file makes: it ends after all tests of the file, where a scope of the hook would end with the hook. */
export const scopeOfFile = (): Scope => {
  const endings: (() => unknown)[] = []
  after(() => {
    for (const end of endings) end()
  })
  return { after: work => void endings.push(work) }
}

export const makeFolder = (t: Scope): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// What was compiled once is not compiled again in each of the hundreds of processes; docs/run/start-and-stop.md explains it to operators.
const COMPILED = resolve(import.meta.dirname, '../../node_modules/.cache/compiled-for-tests')

/** What the program sees, beside what a test gives it. */
export const environment = (variables: Variables): Variables => ({
  NODE_COMPILE_CACHE: COMPILED,
  // The port of `dev` may be one that another test was given.
  MINTMARK_METRICS_ADDRESS: 'off',
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  ...variables,
})

let thread: Worker | undefined

const startThread = (): Worker => {
  const started = new Worker(new URL('command-thread.ts', import.meta.url))
  // Neither it nor the process that it starts keeps this one alive.
  started.unref()
  return started
}

const order = (folder: string, args: readonly string[], variables: Variables, input: string) => {
  thread ??= startThread()
  const { port1: outcome, port2: port } = new MessageChannel()
  const done = new Int32Array(new SharedArrayBuffer(4))
  const env = environment(variables)
  const given: Order = { task: { folder, args, variables: env, input }, environment: environment({}), port, done }
  thread.postMessage(given, [port])
  return { outcome, done }
}

/** Runs one command to its end, with this on its standard input. */
export const run = (folder: string, args: readonly string[], variables: Variables = {}, input = ''): Ended => {
  const { outcome, done } = order(folder, args, variables, input)
  Atomics.wait(done, 0, 0, 2 * GIVE_UP_MS)
  const message = receiveMessageOnPort(outcome)?.message as Ended | undefined
  outcome.close()
  if (message === undefined) throw new Error(`No outcome of mintmark ${args.join(' ')}.`)
  return message
}

/** Runs a command while this process goes on. */
export const runAside = async (
  folder: string,
  args: readonly string[],
  { variables = {}, input = '' }: { readonly variables?: Variables; readonly input?: string } = {},
): Promise<Ended> => {
  const { outcome } = order(folder, args, variables, input)
  const [message] = (await once(outcome, 'message')) as [Ended]
  outcome.close()
  return message
}

/** Runs one command to its end in a process of its own, with this on its standard input. */
export const runAlone = (folder: string, args: readonly string[], variables: Variables = {}, input = ''): Ended => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: environment(variables),
    encoding: 'utf8',
    input,
    timeout: GIVE_UP_MS,
  })
  return { status, stdout, stderr }
}

/** Runs one command whose reader goes away before it prints anything. */
export const runUnread = async (folder: string, args: readonly string[], variables: Variables = {}): Promise<Ended> => {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: environment(variables),
    timeout: GIVE_UP_MS,
  })
  child.stdout.destroy()
  const printed = collect(child)
  await once(child, 'close')
  return { status: child.exitCode, ...printed }
}

/** Runs a line of shell as a person who pasted it. */
export const runShell = (folder: string, line: string, variables: Variables = {}): Ended => {
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', line], {
    cwd: folder,
    env: environment(variables),
    encoding: 'utf8',
    timeout: GIVE_UP_MS,
  })
  return { status, stdout, stderr }
}

export type Running = {
  /** What it printed on standard output until it was ready. */
  readonly printed: string
  /** What it has printed on standard error so far. */
  readonly errors: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  /** Waits until it ends by itself. */
  readonly ended: () => Promise<Ended>
  /** Sends SIGTERM and waits for the end. */
  readonly stop: () => Promise<Ended>
}

type Printed = { stdout: string; stderr: string }

const collect = (child: ChildProcess): Printed => {
  const printed = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text
  })
  return printed
}

const untilPrinted = (child: ChildProcess, printed: Printed, ready: RegExp): Promise<void> =>
  new Promise((onReady, onEnd) => {
    child.stdout?.on('data', () => ready.test(printed.stdout) && onReady())
    child.once('close', () => onEnd(new Error(`The program ended before it was ready: ${printed.stderr}`)))
  })

type Start = {
  /** The program that runs; this checkout's by default. */
  readonly program?: string
  /** Instead of waits of production; the program then runs from its sources. */
  readonly timing?: Partial<Timing>
  readonly args: readonly string[]
  readonly variables: Variables
  /** Matches what it prints on standard output once it is ready. */
  readonly ready: RegExp
  /** Standard error, where the log goes, is collected; or whatever is written there fails, as on a full disk. */
  readonly log?: 'collected' | 'unwritable'
}

/** Starts a command that goes on, and waits until it is ready. */
export const start = async (t: Scope, folder: string, options: Start): Promise<Running> => {
  const { timing, program = timing === undefined ? PROGRAM : QUICK_PROGRAM, args, ready, log = 'collected' } = options
  const quick: Variables = timing === undefined ? {} : waits(timing)
  const errors = log === 'collected' ? 'pipe' : openSync(devNull, 'r')
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: environment({ ...options.variables, ...quick }),
    timeout: SERVICE_MS_MAX,
    stdio: ['pipe', 'pipe', errors],
  })
  if (typeof errors === 'number') closeSync(errors)
  const printed = collect(child)
  const closed = once(child, 'close')
  t.after(() => child.kill('SIGKILL'))
  await untilPrinted(child, printed, ready)
  const signal = (name: NodeJS.Signals): void => void child.kill(name)
  const ended = async (): Promise<Ended> => {
    await closed
    return { status: child.exitCode, ...printed }
  }
  const stop = (): Promise<Ended> => {
    signal('SIGTERM')
    return ended()
  }
  return { printed: printed.stdout, errors: () => printed.stderr, signal, ended, stop }
}

const listen = async (port: number) => {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Holds a port until the test ends; 0 for any. */
export const occupyPort = async (t: Scope, port = 0): Promise<number> => {
  const server = await listen(port)
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Two ports that were free a moment ago. */
export const freePorts = async (): Promise<readonly [number, number]> => [await freePort(), await freePort()]
