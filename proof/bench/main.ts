// npm run proof bench: Mintmark beside a bare server and a rival, in one run, by processor time a request. README.md explains.
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { CONTESTANTS, readModels, startContestant } from './servers/contestants.ts'
import { formatTable, percent, publish } from './figures.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { type JudgedMark, judgeMarks, type SeriesName } from './marks.ts'
import { makeMintmarkLoads, type Operation } from './mintmark-loads.ts'
import { install, serve } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { runBench } from './run-bench.ts'
import { type Figures, figuresOf, type Series, type Latency, measureLatencies, measureRounds } from './rounds.ts'

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
const NAMES: readonly SeriesName[] = [...CONTESTANTS, ...OPERATIONS]
/** Slices of the open loop for each series. */
const LATENCY_ROUNDS = 3

const wantedAllSeries = (): ReadonlySet<string> => {
  const wanted = options.only === '' ? NAMES : options.only.split(',').map(name => name.trim())
  const unknown = wanted.find(name => !NAMES.some(known => known === name))
  if (unknown === undefined) return new Set(wanted)
  console.error(`--only ${unknown} is no series; there are: ${NAMES.join(', ')}`)
  return process.exit(2)
}

type Measured = { readonly series: SeriesName; readonly figures: Figures; readonly latency: Latency }

// Progress is for a person: the figures alone go to standard output.
const report = (line: string): void => console.error(line)

/** Starts everything that the wanted series need. */
const startAllSeries = async (cores: Cores, started: AsyncDisposableStack): Promise<readonly Series<SeriesName>[]> => {
  const wanted = wantedAllSeries()
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, options.workers), one => one.remove())
  const server = started.adopt(await serve(installation, { cores }), one => one.stop())
  const loads = await makeMintmarkLoads(server)
  const models = await readModels(server)
  const allSeries: Series<SeriesName>[] = []
  for (const name of CONTESTANTS.filter(one => wanted.has(one))) {
    const contestant = started.adopt(await startContestant(name, models, cores), one => one.stop())
    allSeries.push({ name, load: contestant.load, prepare: async () => {} })
  }
  for (const name of OPERATIONS.filter(one => wanted.has(one))) {
    const drains = name === 'introspect fresh' || name === 'revoke'
    const prepare = async (requests: number) => (drains ? loads.fillPool(requests, options.connections) : undefined)
    allSeries.push({ name, load: loads[name], prepare })
  }
  return allSeries
}

const seriesTable = (measured: readonly Measured[]): string =>
  formatTable(
    [
      'series',
      'µs/request',
      'range',
      'requests/s',
      'server',
      'load',
      'open loop/s',
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'max ms',
    ],
    measured.map(({ series, figures, latency }) => [
      series,
      figures.microsecondsPerRequest,
      `${Math.round(figures.microsecondsLeast)}–${Math.round(figures.microsecondsMost)}`,
      figures.requestsPerSecond,
      percent(figures.serverBusy),
      percent(figures.generatorBusy),
      latency.ratePerSecond,
      latency.p50Ms,
      latency.p95Ms,
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
  const allSeries = await startAllSeries(cores, started)
  const tallies = await measureRounds(allSeries, options, report)
  const marks = judgeMarks(tallies)
  const figures = new Map(allSeries.map(({ name }) => [name, figuresOf(tallies.get(name) ?? [])]))
  report('latency')
  const plan = { ...options, rounds: LATENCY_ROUNDS }
  const latencies = await measureLatencies(allSeries, name => figures.get(name)?.requestsPerSecond ?? 0, plan)
  const measured = allSeries.flatMap(({ name: series }): readonly Measured[] => {
    const [one, latency] = [figures.get(series), latencies.get(series)]
    return one === undefined || latency === undefined ? [] : [{ series, figures: one, latency }]
  })
  if (options.json) return console.log(JSON.stringify({ facts, series: measured, marks }))
  const tables = [seriesTable(measured), ...(marks.length > 0 ? [markTable(marks)] : [])]
  publish({ title: `Bench, ${new Date().toISOString().slice(0, 10)}`, facts, tables }, options.record)
}

await runBench(options, run)
