// Wires the limits of callers: the memory that all serving threads of a process share, and what each thread counts in it.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import type { ServiceConfig } from '../config/config.ts'
import type { LimitsConfig } from '../config/callers.ts'
import type { ServerOptions } from '../http/server.ts'
import {
  CONNECTION_SLOTS,
  type ConnectionCounts,
  makeConnectionCounts,
  makeConnectionLimit,
} from '../http/wire/connections/connection-limit.ts'
import { makeNetworks } from '../../../packages/gateway/src/process/networks.ts'
import {
  type FailureMemory,
  makeFailedAuthentications,
  makeFailureMemory,
  makeSlots,
} from '../keys/clients/failed-authentications.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Timing } from '../ports/timing.ts'
import { monotonicMs } from '../store/clocks.ts'

const SEED_BYTES = 32

/** Files besides connections: the store, the log, threads, connections to databases and key servers. */
const OTHER_FILES = 256

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** Shared by all serving threads of a process. */
export type LimitMemory = {
  readonly failures: FailureMemory
  /** One for each thread. */
  readonly connections: readonly ConnectionCounts[]
  readonly connectionsMax: number
}

/** How many files this process may open, on Linux; on other systems, and where /proc is not mounted, it is not known. */
export const openFilesMax = (limits = '/proc/self/limits'): number => {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(limits, 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** The connections that fit: never none, and never more than are configured. */
export const connectionsThatFit = (configured: number, files = openFilesMax()): number =>
  Math.min(configured, Math.max(files - OTHER_FILES, Math.floor(files / 2)))

/** Makes the memory, once in a process. */
export const makeLimitMemory = ({ connections: { max } }: LimitsConfig, threads: number): LimitMemory => ({
  failures: makeFailureMemory(randomBytes(SEED_BYTES)),
  connections: Array.from({ length: threads }, makeConnectionCounts),
  connectionsMax: connectionsThatFit(max),
})

/** What to say where fewer connections fit than `max`. */
export const adviseOnFiles = (max: number): { readonly what: string; readonly remedy: string } => ({
  what: `This process may open too few files for ${max} connections (MINTMARK_CONNECTIONS_MAX).`,
  remedy: `Raise its limit with \`ulimit -n ${max + OTHER_FILES}\`, LimitNOFILE= of systemd or --ulimit nofile of a container.`,
})

/** Forgets the connections of a thread that has ended. */
export const clearConnections = ({ connections }: LimitMemory, index: number): void => {
  connections[index]?.fill(0)
}

type ThreadParts = {
  readonly index: number
  readonly logger: Logger
  readonly metrics: Metrics
  readonly timing: Pick<Timing, 'refusedConnectionsLogMs'>
}

/** What one serving thread, the thread `index` of all, takes into its server. */
export const limitOptionsOf = (
  { limits, trustedProxies }: Pick<ServiceConfig, 'limits' | 'trustedProxies'>,
  { failures, connections, connectionsMax }: LimitMemory,
  { index, logger, metrics, timing }: ThreadParts,
): Pick<ServerOptions, 'failedAuthentications' | 'connections' | 'proxies'> => ({
  proxies: trustedProxies,
  failedAuthentications: makeFailedAuthentications({
    ...limits.failedAuthentications,
    memory: failures,
    monotonic: monotonicMs,
  }),
  connections: makeConnectionLimit({
    max: connectionsMax,
    perAddress: limits.connections.perAddress,
    own: connections[index] ?? makeConnectionCounts(),
    all: connections,
    slotsOf: makeSlots(failures.seed, CONNECTION_SLOTS),
    isShared: makeNetworks([...LOOPBACK, ...trustedProxies]),
    metrics,
    timing,
    report: refused => logger.warn({ refused }, 'connections beyond a limit were closed'),
  }),
})
