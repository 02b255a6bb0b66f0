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
import type { Metrics } from '../ports/metrics.ts'
import type { Ports } from '../ports/ports.ts'

type ServerAddress = Pick<ServerOptions, 'traces' | 'accessLog' | 'checks' | 'causeLevel'> & {
  /** The accepted `Host` headers; null: any, as behind a proxy. */
  readonly allowedHosts: readonly string[] | null
  readonly tls: ServeConfig['tls']
  /** Whether other sockets of this process listen on the same port. */
  readonly sharesPort: boolean
  /** The limits that all those threads share, and the index of this thread among them. */
  readonly shared?: { readonly limits: LimitMemory; readonly index: number }
  /** The metrics of the thread. */
  readonly metrics: Metrics
  /** Receives faults of work that no request waits for. */
  readonly report?: FaultLog
  /** The log of the thread, if it has one already. */
  readonly logger?: Logger
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
  { tls, sharesPort: _sharesPort, allowedHosts, shared, report, logger: given, ...own }: ServerAddress,
): Promise<ServerOptions> => {
  const { limitOptionsOf, makeLimitMemory } = await import('./limits.ts')
  const logger = given ?? (await makeLogger(config))
  const { limits, index } = shared ?? { limits: makeLimitMemory(config.limits, 1), index: 0 }
  return {
    ...own,
    ...(allowedHosts !== null && { allowedHosts }),
    bodyBytesMax: config.bodyBytesMax,
    logger,
    ...(report !== undefined && {
      reportFeedFault: faultsTo(report, 'followers of the revocation feed'),
      reportStreamFault: faultsTo(report, 'streams of the console'),
    }),
    ...limitOptionsOf(config, limits, { index, logger, metrics: own.metrics, timing: ports.timing }),
    ...certificateOptionsOf(tls, config.clientCertificates),
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
