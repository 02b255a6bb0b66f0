// Bounds the connections of the process, in all and from one address. Each serving thread counts its own in shared memory,
// and reads the counts of all: what a thread that ended has counted can be cleared.
import { type Metrics, NO_METRICS } from '../../../ports/metrics.ts'
import type { Timing } from '../../../ports/timing.ts'
import { networkOf } from '../../../domain/source.ts'
import type { Source } from '../../../domain/source.ts'
import type { IsInNetworks } from '../../../../../packages/gateway/src/process/networks.ts'

/** Slots of each of the two counts that an address has. Addresses share its count only where both of their slots are one. */
export const CONNECTION_SLOTS = 16_384

/** One in so many connections is reserved for addresses with few. */
const RESERVED_PART = 10

/** The share of all connections that followers of the revocation feed may keep open. */
const STAYING_PART = 0.5
/** The same for an API key with few of them: a part more. */
const STAYING_PART_OF_FEW = 0.6

/** An address with fewer connections than this may use the reserve. */
const FEW_CONNECTIONS_MAX = 8

/** All connections of a thread, then those by slot, twice. */
export type ConnectionCounts = Int32Array<SharedArrayBuffer>

export const makeConnectionCounts = (): ConnectionCounts =>
  new Int32Array(new SharedArrayBuffer((1 + 2 * CONNECTION_SLOTS) * Int32Array.BYTES_PER_ELEMENT))

/** The most connections in all, and from one address (of IPv6: from one /64). */
type ConnectionBounds = { readonly max: number; readonly perAddress: number }

export type ConnectionLimit = {
  /** Counts the connection and returns the function that takes it back, once; or null if there is one too many. */
  readonly enter: (source: Source) => (() => void) | null
  /**
   * Whether one more connection may be kept for long: a part of them is left for short ones. `isOneOfFew`: its caller keeps
   * only a few.
   */
  readonly mayStay: (isOneOfFew: boolean) => boolean
}

type Options = ConnectionBounds & {
  readonly own: ConnectionCounts
  /** The counts of all threads, this one included. */
  readonly all: readonly ConnectionCounts[]
  readonly slotsOf: (text: string, count: number) => readonly number[]
  /** Addresses that one bound for each does not suit: trusted proxies, and this machine. */
  readonly isShared: IsInNetworks
  /** Called now and again with how many connections were refused since. */
  readonly report: (refused: number) => void
  readonly timing: Pick<Timing, 'refusedConnectionsLogMs'>
  readonly metrics?: Metrics
}

export const makeConnectionLimit = (options: Options): ConnectionLimit => {
  const { max, perAddress, own, all, slotsOf, isShared, report, timing, metrics = NO_METRICS } = options
  const unreserved = max - Math.floor(max / RESERVED_PART)
  metrics.set('mintmark_connections', {}, 0)
  let refused = 0
  let timer: NodeJS.Timeout | undefined

  const add = (cells: readonly number[], change: 1 | -1): void => {
    for (const cell of cells) Atomics.add(own, cell, change)
    metrics.set('mintmark_connections', {}, Atomics.load(own, 0))
  }

  const sum = (cell: number): number => {
    let total = 0
    for (const counts of all) total += Atomics.load(counts, cell)
    return total
  }

  const isWithin = (source: Source, [total, ...slots]: readonly [number, ...number[]]): boolean => {
    const [inAll, ofAddress] = [sum(total), Math.min(...slots.map(sum))]
    if (inAll > max || (ofAddress > perAddress && !isShared(source))) return false
    return inAll <= unreserved || ofAddress <= FEW_CONNECTIONS_MAX
  }

  const reportRefused = (): void => {
    timer = undefined
    if (refused === 0) return
    report(refused)
    refused = 0
    timer = setTimeout(reportRefused, timing.refusedConnectionsLogMs).unref()
  }

  const countRefused = (): void => {
    refused += 1
    metrics.add('mintmark_limits_reached_total', { limit: 'connections' })
    if (timer === undefined) reportRefused()
  }

  return {
    mayStay: isOneOfFew => sum(0) <= max * (isOneOfFew ? STAYING_PART_OF_FEW : STAYING_PART),
    enter: source => {
      const [first = 0, second = 0] = slotsOf(networkOf(source), 2)
      const cells = [0, 1 + first, 1 + CONNECTION_SLOTS + second] as const
      // Counted before the look: of threads that accept at the same time none goes beyond.
      add(cells, 1)
      if (isWithin(source, cells)) return () => add(cells, -1)
      add(cells, -1)
      countRefused()
      return null
    },
  }
}
