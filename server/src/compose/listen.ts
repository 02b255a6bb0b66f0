// Serves HTTP: builds the server over the ports, and listens. Loaded only by what serves.
import type { ListenOptions } from 'node:net'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import type { Logger } from 'pino'
import { certificateOptionsOf } from './client-certificates.ts'
import { type FaultLog, makeLogger } from './log.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { LimitMemory } from './limits.ts'
import type { ServeConfig, ServiceConfig } from '../config/config.ts'
import { refuseListening } from '../config/start-refused.ts'
import type { ServerOptions } from '../http/server.ts'
import { drain } from '../http/wire/connections/listener.ts'
import type { AccessLog } from '../http/notes/access-line.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Ports } from '../ports/ports.ts'
import type { Traces } from '../ports/traces.ts'

type ServerAddress = {
  readonly tls: ServeConfig['tls']
  /** The accepted `Host` headers; null: any, as behind a proxy. */
  readonly allowedHosts: readonly string[] | null
  /** Whether other sockets of this process listen on the same port. */
  readonly sharesPort: boolean
  /** The limits that all those threads share, and the index of this thread among them. */
  readonly shared?: { readonly limits: LimitMemory; readonly index: number }
  /** The metrics of the thread. */
  readonly metrics: Metrics
  /** The traces of the thread; without them nothing is traced. */
  readonly traces?: Traces
  /** Called for each request, where it is given. */
  readonly accessLog?: AccessLog | null
  /** Receives faults of work that no request waits for. */
  readonly report?: FaultLog
  /** The log of the thread, if it has one already. */
  readonly logger?: Logger
  /** What the checks of the installation found last. */
  readonly checks?: ServerOptions['checks']
  readonly causeLevel?: ServerOptions['causeLevel']
}

/** A store that cannot be reached is no fault of following: requests and /readyz report it. */
const faultsTo =
  (report: FaultLog, task: 'followers of the revocation feed' | 'streams of the console') =>
  (fault: unknown): void => {
    if (!(fault instanceof Unavailable)) report(task, fault)
  }

/** What the server of a thread is built with. */
export const serverOptionsOf = async (
  ports: Ports,
  config: ServiceConfig,
  options: ServerAddress,
): Promise<ServerOptions> => {
  const { limitOptionsOf, makeLimitMemory } = await import('./limits.ts')
  const logger = options.logger ?? (await makeLogger(config))
  const { limits, index } = options.shared ?? { limits: makeLimitMemory(config.limits, 1), index: 0 }
  return {
    bodyBytesMax: config.bodyBytesMax,
    logger,
    metrics: options.metrics,
    ...(options.report !== undefined && {
      reportFeedFault: faultsTo(options.report, 'followers of the revocation feed'),
      reportStreamFault: faultsTo(options.report, 'streams of the console'),
    }),
    ...(options.traces !== undefined && { traces: options.traces }),
    accessLog: options.accessLog ?? null,
    ...limitOptionsOf(config, limits, { index, logger, metrics: options.metrics, timing: ports.timing }),
    ...certificateOptionsOf(options.tls, config.clientCertificates),
    ...(options.allowedHosts !== null && { allowedHosts: options.allowedHosts }),
    ...(options.checks !== undefined && { checks: options.checks }),
    ...(options.causeLevel !== undefined && { causeLevel: options.causeLevel }),
  }
}

/** Makes every further response end its connection, so that callers go elsewhere. */
export const startDraining = ({ server }: FastifyInstance): void => drain(server)

/** Serves HTTP. */
export const listen = async (ports: Ports, config: ServiceConfig, options: ServerAddress): Promise<FastifyInstance> => {
  const { host, port } = config
  const { sharesPort } = options
  const [{ buildServer }, { acceptInNumbers, BACKLOG, SOCKET_BACKLOG }] = await Promise.all([
    import('../http/server.ts'),
    import('../http/wire/connections/accepting.ts'),
  ])
  const server = buildServer(ports, await serverOptionsOf(ports, config, options))
  try {
    // Fastify passes all options to Node; its types lack some.
    const backlog = sharesPort ? SOCKET_BACKLOG : BACKLOG
    const where: ListenOptions & FastifyListenOptions = { host, port, backlog, reusePort: sharesPort }
    await server.listen(where)
    if (sharesPort) await acceptInNumbers(server)
    return server
  } catch (error) {
    await server.close()
    throw refuseListening(error, { host, port, variable: 'PORT' })
  }
}
