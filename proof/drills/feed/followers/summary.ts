// What the followers drill says of its slices: medians over the rounds, and of each round the ratio of the slice with
// followers to the one without.
import { quantile } from '../watched-token.ts'
import type { Rates } from './full-rate.ts'

export type Slice = Rates & {
  readonly ends: number
  /** Milliseconds from the acknowledgement of an end to a follower, of the followers that note it. */
  readonly latencies: readonly number[]
  /** The share of one core that the followers' process used. */
  readonly followersBusy: number
  readonly bytesPerSecond: number
}

export type Round = { readonly without: Slice; readonly beside: Slice }

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

export type Costs = { readonly issue: number; readonly introspect: number; readonly cpu: number }

/** Shares of what is lost beside followers, medians over the rounds; negative where it was more. */
export const costsOf = (rounds: readonly Round[]): Costs => ({
  issue: 1 - median(rounds.map(({ without, beside }) => beside.issue / without.issue)),
  introspect: 1 - median(rounds.map(({ without, beside }) => beside.introspect / without.introspect)),
  cpu: median(rounds.map(({ without, beside }) => beside.cpu / without.cpu)) - 1,
})

const rate = (value: number): string => `${Math.round(value).toLocaleString('en-US')} /s`
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const ms = (value: number): string => `${value.toFixed(0)} ms`

const medianOf = (slices: readonly Slice[], name: 'issue' | 'introspect' | 'cpu' | 'busy' | 'followersBusy'): number =>
  median(slices.map(slice => slice[name]))

const formatSlices = (name: string, slices: readonly Slice[]): string => {
  const rates = `issue ${rate(medianOf(slices, 'issue'))}, introspect ${rate(medianOf(slices, 'introspect'))}`
  const cpu = `${medianOf(slices, 'cpu').toFixed(1)} µs of processor time a request`
  const busy = `service ${percent(medianOf(slices, 'busy'))}, followers ${percent(medianOf(slices, 'followersBusy'))} of a core`
  return `  ${name}: ${rates}; ${cpu}; ${busy}`
}

/** What was measured, in lines. */
export const formatRounds = (rounds: readonly Round[]): readonly string[] => {
  const [without, beside] = [rounds.map(round => round.without), rounds.map(round => round.beside)]
  const { issue, introspect, cpu } = costsOf(rounds)
  const sorted = beside.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b)
  const ends = median(beside.map(slice => slice.ends))
  const megabytes = median(beside.map(slice => slice.bytesPerSecond)) / 1e6
  return [
    formatSlices('without followers', without),
    formatSlices('with followers', beside),
    `  cost: issue ${percent(issue)}, introspect ${percent(introspect)} of the rate; processor time a request ${percent(cpu)} more`,
    `  ${rate(ends)} ended; from acknowledgement to follower ${sorted.length.toLocaleString('en-US')} times: median ${ms(quantile(sorted, 0.5))}, p99 ${ms(quantile(sorted, 0.99))}, max ${ms(sorted.at(-1) ?? Number.NaN)}; ${megabytes.toFixed(1)} MB/s`,
  ]
}
