// Profiles a served service under load, every thread of it, and prints where the time goes: hot spots in a terminal.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { formatTable, median, percent, publish } from './figures.ts'
import { runClosed } from './load.ts'
import { describeMachine, divideCores } from './machine.ts'
import { makeMintmarkLoads, type MintmarkLoads, type Operation } from './mintmark-loads.ts'
import { install, serve } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { startPostgres } from './postgres/postgres-server.ts'
import { runBench } from './run-bench.ts'

const options = readOptions({
  operation: 'issue',
  seconds: 8,
  connections: 32,
  workers: 0,
  postgres: false,
  top: 30,
  keep: '',
  set: '',
  record: false,
})

const OPERATIONS: readonly Operation[] = ['issue', 'introspect fresh', 'introspect same', 'revoke']
const WARMUP_MS = 2000
/** A pool for operations that use tokens up; a slice that drains it ends early. */
const POOLED_PER_SECOND = 15_000

/** V8's CPU profile (Chrome DevTools Protocol, Profiler.Profile). Times are microseconds of the monotonic clock. */
type Profile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

type Window = { readonly from: number; readonly to: number }

/** Milliseconds by what they were spent in. */
type Spent = Map<string, number>

const ROOT = `${resolve(import.meta.dirname, '../..')}/`
const NOT_WORK = new Set(['(idle)', '(root)'])

const fileOf = (url: string): string => decodeURIComponent(url.replace(/^file:\/\//, '')).replace(ROOT, '')

/** The package, part of Node, or file of ours that a function belongs to. */
const ownerOf = (url: string): string => {
  const file = fileOf(url)
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
  if (name !== undefined) return name
  return file.startsWith('node:') ? file.split('/').slice(0, 2).join('/') : file
}

const labelOf = ({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string => {
  const place = url === '' ? '' : ` ${fileOf(url).replace(/^node_modules\//, '')}:${lineNumber + 1}`
  return `${functionName === '' ? '(anonymous)' : functionName}${place}`
}

const add = (spent: Spent, name: string, milliseconds: number): void => {
  spent.set(name, (spent.get(name) ?? 0) + milliseconds)
}

/** Self time within the window, by function and by owner; idle time stands aside. */
const selfTimes = ({ nodes, startTime, samples, timeDeltas }: Profile, { from, to }: Window) => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [functions, owners]: [Spent, Spent] = [new Map(), new Map()]
  let idle = 0
  let at = startTime
  samples.forEach((id, n) => {
    at += timeDeltas[n] ?? 0
    const frame = frames.get(id)
    if (frame === undefined || at < from || at > to) return
    // A sample stands for the time until the next one.
    const milliseconds = (timeDeltas[n + 1] ?? 0) / 1000
    if (NOT_WORK.has(frame.functionName)) {
      idle += milliseconds
      return
    }
    add(functions, labelOf(frame), milliseconds)
    add(owners, frame.url === '' ? labelOf(frame) : ownerOf(frame.url), milliseconds)
  })
  return { functions, owners, idle }
}

const sumOf = (spent: Spent): number => [...spent.values()].reduce((sum, milliseconds) => sum + milliseconds, 0)

const tableOf = (title: string, spent: Spent, requests: number): string => {
  const total = sumOf(spent)
  const rows = [...spent].toSorted(([, a], [, b]) => b - a).slice(0, options.top)
  return formatTable(
    ['self', 'µs/request', title],
    rows.map(([name, milliseconds]) => [
      percent(milliseconds / total),
      (milliseconds * 1000) / requests,
      `\`${name}\``,
    ]),
  )
}

const describeThread = (file: string, window: Window, requests: number): readonly string[] => {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile // written by Node's --cpu-prof
  const { functions, owners, idle } = selfTimes(profile, window)
  const busy = sumOf(functions)
  // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
  const thread = file.split('.').at(-3)
  const interval = median(profile.timeDeltas.slice(0, 10_000))
  const heading =
    `### Thread ${thread}: busy ${percent(busy / (busy + idle))}, ` +
    `${((busy * 1000) / requests).toFixed(1)} µs a request (sampled each ${Math.round(interval)} µs)`
  return [
    heading,
    tableOf('function', functions, requests),
    tableOf('package, part of Node, or file', owners, requests),
  ]
}

const monotonicMicroseconds = (): number => Number(process.hrtime.bigint() / 1000n)

/** `NAME=VALUE`, several with commas: what the service is configured with beside. */
const variablesOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(',')
      .filter(Boolean)
      .map(one => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  )

const applyLoad = async (
  loads: MintmarkLoads,
  operation: Operation,
): Promise<Window & { readonly requests: number }> => {
  const load = loads[operation]
  const pooled = operation === 'introspect fresh' || operation === 'revoke'
  if (pooled) await loads.fillPool((options.seconds + WARMUP_MS / 1000) * POOLED_PER_SECOND, options.connections)
  await runClosed(load, options.connections, WARMUP_MS)
  const from = monotonicMicroseconds()
  const { requests } = await runClosed(load, options.connections, options.seconds * 1000)
  return { from, to: monotonicMicroseconds(), requests }
}

const run = async (): Promise<void> => {
  const operation = OPERATIONS.find(one => one === options.operation)
  if (operation === undefined) throw new Error(`--operation is one of: ${OPERATIONS.join(', ')}`)
  const cores = divideCores()
  await using started = new AsyncDisposableStack()
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const database = options.postgres
    ? started.adopt(await startPostgres({ standby: false }), one => one.stop())
    : undefined
  const own = database === undefined ? {} : { DATABASE_URL: database.url }
  const variables = { ...own, ...variablesOf(options.set) }
  const installation = started.adopt(await install(provider, options.workers, variables), one => one.remove())
  const folder = options.keep === '' ? join(installation.folder, 'profiles') : resolve(options.keep)
  mkdirSync(folder, { recursive: true })
  const known = new Set(readdirSync(folder))
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250']
  const server = await serve(installation, { cores, nodeOptions })
  started.defer(server.stop)
  const { requests, ...window } = await applyLoad(await makeMintmarkLoads(server), operation)
  // A thread writes its profile when it ends.
  await server.stop()
  const files = readdirSync(folder).filter(name => name.endsWith('.cpuprofile') && !known.has(name))
  const tables = files.toSorted().flatMap(name => describeThread(join(folder, name), window, requests))
  const facts = [...describeMachine(cores), `${operation}: ${requests} requests in ${options.seconds} s, profiled`]
  publish({ title: `Profile of ${operation}`, facts, tables }, options.record)
}

await runBench(options, run)
