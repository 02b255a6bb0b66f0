// npm run bench: Mintmark beside a bare server and a rival, in one run, by processor time a request. README.md explains.
import { startIdentityProvider } from '../testkit/identity-providers/identity-provider.ts'
import { CONTESTANTS, readModels, startContestant } from './servers/contestants.ts'
import { formatTable, percent, publish } from './figures.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { type JudgedMark, judgeMarks, type LaneName } from './marks.ts'
import { makeMintmarkLoads, type Operation } from './mintmark-loads.ts'
import { install, serve } from './servers/mintmark-server.ts'
import { readOptions } from './options.ts'
import { runBench } from './run-bench.ts'
import { type Figures, figuresOf, type Lane, type Latency, measureLatencies, measureRounds } from './rounds.ts'

const options = readOptions({
  seconds: 1.5,
  rounds: 8,
  warmups: 8,
  connections: 32,
  workers: 0,
  only: '',
  json: false,
  record: false,
})

const OPERATIONS: readonly Operation[] = ['issue', 'introspect fresh', 'introspect same', 'revoke']
const NAMES: readonly LaneName[] = [...CONTESTANTS, ...OPERATIONS]
/** Slices of the open loop for each lane. */
const LATENCY_ROUNDS = 3

const wantedLanes = (): ReadonlySet<string> => {
  const wanted = options.only === '' ? NAMES : options.only.split(',').map(name => name.trim())
  const unknown = wanted.find(name => !NAMES.some(known => known === name))
  if (unknown === undefined) return new Set(wanted)
  console.error(`--only ${unknown} is no lane; there are: ${NAMES.join(', ')}`)
  return process.exit(2)
}

type Measured = { readonly lane: LaneName; readonly figures: Figures; readonly latency: Latency }

// Progress is for a person: the figures alone go to standard output.
const report = (line: string): void => console.error(line)

/** Starts everything that the wanted lanes need. */
const startLanes = async (cores: Cores, started: AsyncDisposableStack): Promise<readonly Lane<LaneName>[]> => {
  const wanted = wantedLanes()
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, options.workers), one => one.remove())
  const server = started.adopt(await serve(installation, { cores }), one => one.stop())
  const loads = await makeMintmarkLoads(server)
  const models = await readModels(server)
  const lanes: Lane<LaneName>[] = []
  for (const name of CONTESTANTS.filter(one => wanted.has(one))) {
    const contestant = started.adopt(await startContestant(name, models, cores), one => one.stop())
    lanes.push({ name, load: contestant.load, prepare: async () => {} })
  }
  for (const name of OPERATIONS.filter(one => wanted.has(one))) {
    const drains = name === 'introspect fresh' || name === 'revoke'
    const prepare = async (requests: number) => (drains ? loads.fillPool(requests, options.connections) : undefined)
    lanes.push({ name, load: loads[name], prepare })
  }
  return lanes
}

const laneTable = (measured: readonly Measured[]): string =>
  formatTable(
    ['lane', 'µs/request', 'range', 'requests/s', 'server', 'load', 'open loop/s', 'p50 ms', 'p99 ms', 'max ms'],
    measured.map(({ lane, figures, latency }) => [
      lane,
      figures.microsecondsPerRequest,
      `${Math.round(figures.microsecondsLeast)}–${Math.round(figures.microsecondsMost)}`,
      figures.requestsPerSecond,
      percent(figures.serverBusy),
      percent(figures.generatorBusy),
      latency.ratePerSecond,
      latency.p50Ms,
      latency.p99Ms,
      latency.maxMs,
    ]),
  )

const markTable = (marks: readonly JudgedMark[]): string =>
  formatTable(
    ['mark, by processor time a request', 'wanted', 'measured', 'least', 'most', 'verdict'],
    marks.map(({ mark, wanted, ratio, least, most, reached }) => [
      mark,
      wanted,
      ratio,
      least,
      most,
      reached ? 'reached' : 'NOT reached',
    ]),
  )

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const lanes = await startLanes(cores, started)
  const tallies = await measureRounds(lanes, options, report)
  const marks = judgeMarks(tallies)
  const figures = new Map(lanes.map(({ name }) => [name, figuresOf(tallies.get(name) ?? [])]))
  report('latency')
  const plan = { ...options, rounds: LATENCY_ROUNDS }
  const latencies = await measureLatencies(lanes, name => figures.get(name)?.requestsPerSecond ?? 0, plan)
  const measured = lanes.flatMap(({ name: lane }): readonly Measured[] => {
    const [one, latency] = [figures.get(lane), latencies.get(lane)]
    return one === undefined || latency === undefined ? [] : [{ lane, figures: one, latency }]
  })
  if (options.json) return console.log(JSON.stringify({ facts, lanes: measured, marks }))
  const tables = [laneTable(measured), ...(marks.length > 0 ? [markTable(marks)] : [])]
  publish({ title: `Bench, ${new Date().toISOString().slice(0, 10)}`, facts, tables }, options.record)
}

await runBench(run)
