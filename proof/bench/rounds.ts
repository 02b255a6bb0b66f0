// Measures series in turn, in short slices, so that a noisy neighbor hits all of them alike.
import { type Bounded, makeBound } from '../options.ts'
import { type Load, runClosed, runOpen, type Tally } from './load.ts'
import { median, quantile } from './figures.ts'

export type Series<Name extends string> = {
  readonly name: Name
  readonly load: Load
  /** Makes what so many requests need, outside of any measured time. */
  readonly prepare: (requests: number) => Promise<void>
}

type Plan = Bounded & {
  readonly rounds: number
  /** Rounds before them that are not counted. */
  readonly warmups: number
  readonly seconds: number
  readonly connections: number
}

export type Latency = {
  readonly ratePerSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export type Figures = {
  readonly requestsPerSecond: number
  readonly microsecondsPerRequest: number
  readonly microsecondsLeast: number
  readonly microsecondsMost: number
  /** The shares of one core that the server and the load generator used. */
  readonly serverBusy: number
  readonly generatorBusy: number
}

/** Tallies of the counted rounds, one a round, by series. */
export type Tallies<Name extends string> = ReadonlyMap<Name, readonly Tally[]>

/** What a pool must hold before anything is known of a series's rate; a slice that drains it ends early. */
const FIRST_RATE_PER_SECOND = 4000
const POOL_MARGIN = 1.25
/** The share of the throughput at which latency is measured. */
const OPEN_LOOP_SHARE = 0.5

const rateOf = ({ requests, seconds }: Tally): number => requests / seconds

export const microsecondsOf = (tally: Tally): number => (tally.processorSeconds / tally.requests) * 1e6

/** Another series is the first in each round. */
const inTurn = <T>(allSeries: readonly T[], round: number): readonly T[] => {
  const first = round % Math.max(allSeries.length, 1)
  return [...allSeries.slice(first), ...allSeries.slice(0, first)]
}

export const measureRounds = async <Name extends string>(
  allSeries: readonly Series<Name>[],
  plan: Plan,
  report: (line: string) => void,
): Promise<Tallies<Name>> => {
  const { rounds, warmups, seconds, connections } = plan
  const isOver = makeBound(plan)
  const tallies = new Map<Name, Tally[]>(allSeries.map(({ name }) => [name, []]))
  const rates = new Map<Name, number>()
  for (let round = 0; round < warmups + rounds; round += 1) {
    if (round > warmups && isOver()) break
    report(round < warmups ? `warm-up ${round + 1} of ${warmups}` : `round ${round - warmups + 1} of ${rounds}`)
    for (const { name, load, prepare } of inTurn(allSeries, round)) {
      await prepare(Math.ceil((rates.get(name) ?? FIRST_RATE_PER_SECOND) * seconds * POOL_MARGIN))
      const tally = await runClosed(load, connections, seconds * 1000)
      rates.set(name, rateOf(tally))
      if (round >= warmups) tallies.get(name)?.push(tally)
    }
  }
  return tallies
}

export const figuresOf = (tallies: readonly Tally[]): Figures => {
  const microseconds = tallies.map(microsecondsOf)
  return {
    requestsPerSecond: median(tallies.map(rateOf)),
    microsecondsPerRequest: median(microseconds),
    microsecondsLeast: Math.min(...microseconds),
    microsecondsMost: Math.max(...microseconds),
    serverBusy: median(tallies.map(tally => tally.processorSeconds / tally.seconds)),
    generatorBusy: median(tallies.map(tally => tally.generatorSeconds / tally.seconds)),
  }
}

const quantilesOf = (slices: readonly Float64Array[], share: number): readonly number[] =>
  slices.map(sorted => quantile(sorted, share))

const sliceLatency = async (
  { load, prepare }: Series<string>,
  ratePerSecond: number,
  { connections, seconds }: Plan,
): Promise<Float64Array> => {
  await prepare(Math.ceil(ratePerSecond * seconds) + 1)
  return runOpen(load, { connections, ratePerSecond, seconds })
}

/** Open-loop at half of each series's throughput: medians over the rounds, and the worst of all. */
export const measureLatencies = async <Name extends string>(
  allSeries: readonly Series<Name>[],
  throughput: (name: Name) => number,
  plan: Plan,
): Promise<ReadonlyMap<Name, Latency>> => {
  const slices = new Map<Name, Float64Array[]>(allSeries.map(({ name }) => [name, []]))
  const rateFor = (name: Name): number => Math.max(1, Math.floor(throughput(name) * OPEN_LOOP_SHARE))
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const series of inTurn(allSeries, round)) {
      slices.get(series.name)?.push(await sliceLatency(series, rateFor(series.name), plan))
    }
  }
  return new Map(
    [...slices].map(([name, latencies]) => {
      const of = (share: number): number => median(quantilesOf(latencies, share))
      const maxMs = Math.max(...quantilesOf(latencies, 1))
      return [name, { ratePerSecond: rateFor(name), p50Ms: of(0.5), p95Ms: of(0.95), p99Ms: of(0.99), maxMs }]
    }),
  )
}
