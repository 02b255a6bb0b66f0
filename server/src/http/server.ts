// The wire: one Fastify instance that turns HTTP into calls of operations, and their answers into HTTP.
import type { IncomingMessage, RequestListener } from 'node:http'

import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { FailedAuthentications } from '../ports/failed-authentications.ts'
import type { CheckResult } from '../domain/checkup.ts'
import { isRefused } from '../domain/refusal.ts'
import type { CountLimit } from '../domain/refusal-reasons.ts'
import { type Metrics, NO_METRICS } from '../ports/metrics.ts'
import type { Ports } from '../ports/ports.ts'
import { NO_TRACES, type Traces } from '../ports/traces.ts'
import { registerAdministration } from './admin/administration-routes.ts'
import { type Admission, makeAdmission } from './wire/admission.ts'
import { makeAnswerDeadline } from './wire/answer-deadline.ts'
import { makeBrokenRequestHandler, makeUnreadRefuser } from './wire/connections/broken-request.ts'
import { type CertificatesTaken, makeCertificateFinder } from './wire/source.ts'
import { registerConsole } from './console/serve-sessions.ts'
import { registerDocumentation } from './openapi/documentation-page.ts'
import { serveSite } from './openapi/serve-site.ts'
import { registerFrontPage } from './openapi/front-page.ts'
import { makeListener, type Tls } from './wire/connections/listener.ts'
import { registerOpenapi } from './openapi/openapi-document.ts'
import { makeOutageLog } from './wire/outage-log.ts'
import { basePathOf, READING, takeForms } from './wire/fields.ts'
import type { ConnectionLimit } from './wire/connections/connection-limit.ts'
import { makeNetworks } from '../../../packages/gateway/src/process/networks.ts'
import { makeRecognizer } from './admin/recognize-administrator.ts'
import { makeRefuser, type Refuser } from './wire/refusals.ts'
import { makeNotes, type Notes } from './notes/note-requests.ts'
import type { AccessLog } from './notes/access-line.ts'
import { makeRequestRules, requestIdOf } from './wire/request-rules.ts'
import type { StayLimits } from './wire/streams/stay-limit.ts'
import { makeForwardedState, makeSourceReader } from './wire/source.ts'
import { registerMetadata, registerOperations } from './routes.ts'
import { answerUnknownRoutes } from './wire/unknown-route.ts'

export type ServerOptions = {
  /** The folder of the documentation site; beside the program by default. */
  readonly siteFolder?: string
  readonly bodyBytesMax: number
  readonly logger: Logger
  /** The metrics of the thread; without them nothing is measured. */
  readonly metrics?: Metrics
  /** The traces of the thread; without them nothing is traced. */
  readonly traces?: Traces
  /** Called for each request, where it is given. */
  readonly accessLog?: AccessLog | null
  /** PEM. Without it the server speaks plain HTTP, for a proxy or the loopback interface. */
  readonly https?: Tls
  /** Where client certificates come from; without it none is read. */
  readonly certificates?: CertificatesTaken
  /** The only `Host` headers that are answered, `name:port` in lower case; any others get 421. */
  readonly allowedHosts?: readonly string[]
  /** The failed authentications, shared with the other serving threads; unlimited by default. */
  readonly failedAuthentications?: FailedAuthentications
  /** The limit on connections, shared with the other serving threads; unlimited by default. */
  readonly connections?: ConnectionLimit
  /** Networks, as address/bits, of the proxies that say where a request came from. */
  readonly proxies?: readonly string[]
  /** The level of log lines about refusals whose reason the caller does not get; `info` by default. */
  readonly causeLevel?: 'info' | 'warn'
  /** Receives each fault of following the revocation feed. Must not throw. */
  readonly reportFeedFault?: (fault: unknown) => void
  /** The limits of followers of the revocation feed; smaller in tests. */
  readonly followerLimits?: StayLimits
  /** Receives each fault of the streams of the console. Must not throw. */
  readonly reportStreamFault?: (fault: unknown) => void
  /** What the checks of the installation found last; nothing unless it is given. */
  readonly checks?: () => readonly CheckResult[]
}

const NO_CERTIFICATES: CertificatesTaken = { header: null, listener: null }
const UNLIMITED: FailedAuthentications = { count: () => null }

type Parts = {
  readonly timing: Ports['timing']
  readonly refuser: Refuser
  readonly makeId: () => string
  readonly admission: Admission
  readonly notes: Notes | null
  readonly answerBroken: ReturnType<typeof makeBrokenRequestHandler>
  readonly countLimit: CountLimit
}

const optionsOf = (
  { bodyBytesMax, https, connections }: ServerOptions,
  { timing, refuser, makeId, admission, notes, answerBroken, countLimit }: Parts,
) => ({
  // Our own lines go to options.logger; a child logger for each request is what Fastify's would cost.
  logger: false as const,
  bodyLimit: bodyBytesMax,
  serverFactory: (handle: RequestListener) =>
    makeListener(admission.guard(handle), {
      https,
      timing,
      connections,
      onBeyond: () => countLimit('connections'),
      ServerResponse: notes?.ServerResponse,
      onWaiting: admission.receive,
    }),
  // What is under way is answered while the server closes.
  return503OnClosing: false,
  requestIdHeader: false as const,
  genReqId: (request: IncomingMessage) => requestIdOf(request.headers['x-request-id'], makeId),
  ...READING,
  clientErrorHandler: answerBroken,
  frameworkErrors: (fault: Error, request: FastifyRequest, reply: FastifyReply): void => {
    // No hook runs for a URL that cannot be read.
    notes?.begin(reply)
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    refuser.fail(reply, fault)
  },
})

const IGNORE = (): void => undefined

/** What following the revocation feed, and the streams of the console, need of them. */
const followingOf = (options: ServerOptions) => ({
  reportFeedFault: options.reportFeedFault ?? IGNORE,
  followerLimits: options.followerLimits,
  reportStreamFault: options.reportStreamFault ?? IGNORE,
  mayStay: (isOneOfFew: boolean) => options.connections?.mayStay(isOneOfFew) ?? true,
})

/** Builds the server. It listens once its caller says so. The path of the issuer is the path of every route. */
export const buildServer = (ports: Ports, options: ServerOptions): FastifyInstance => {
  const { monotonic, timing, profile } = ports
  const { issuer } = profile
  const basePath = basePathOf(issuer)
  const { logger, allowedHosts, metrics = NO_METRICS, traces = NO_TRACES, accessLog = null } = options
  const hash = (text: string): string => ports.secrets.hash(text)
  const notes = makeNotes({ metrics, traces, accessLog, hash })
  const outages = makeOutageLog({ logger, monotonic, timing })
  const isProxy = makeNetworks(options.proxies ?? [])
  const sourceOf = makeSourceReader(isProxy)
  const makeId = (): string => ports.randomness.uuid()
  const { report: reportUnavailable } = outages
  const answerBroken = makeBrokenRequestHandler({ makeId, timing, accessLog })
  const refuseUnread = makeUnreadRefuser({ makeId, accessLog })
  const countLimit: CountLimit = limit => ports.usage.countRefused(null, limit)
  const observers = { makeId, sourceOf, reportUnavailable, metrics, countLimit, accessLog, refuseUnread }
  const admission = makeAdmission({ issuer, basePath, monotonic, timing, ...observers })
  const { credentials } = admission
  const recognize = makeRecognizer(ports, sourceOf)
  const refuser = makeRefuser({
    recognize: async (request, access) => {
      const origin = await recognize(request, access)
      if (!isRefused(origin)) credentials.add(request.headers)
      else if (origin.refusal.code === 'invalid_token') credentials.remove(request.headers)
      return origin
    },
    ...(options.causeLevel !== undefined && { causeLevel: options.causeLevel }),
    issuer,
    problemsUnder: `${basePath}/api/`,
    logger,
    reportUnavailable,
    metrics,
    countLimit,
    countRefusal: (attempt, source) => ports.audit.countRefusal(attempt, source),
    failedAuthentications: options.failedAuthentications ?? UNLIMITED,
    sourceOf,
    forgetCredential: credentials.remove,
  })
  const app: FastifyInstance = fastify(
    optionsOf(options, { timing, refuser, makeId, admission, notes, answerBroken, countLimit }),
  )
  app.setErrorHandler((fault, _request, reply) => refuser.fail(reply, fault))
  takeForms(app)
  const answerUnknownRoute = answerUnknownRoutes(app, refuser)
  notes?.register(app)
  app.addHook('onRequest', makeRequestRules({ refuser, answerUnknownRoute, basePath, allowedHosts }))
  registerOpenapi(app, issuer)
  registerDocumentation(app, { basePath, hash, refuser })
  void app.register(async scope => serveSite(scope, { basePath, hash, refuser, folder: options.siteFolder }))
  void app.register(async scope => registerFrontPage(scope, { basePath, issuer, hash }))
  const findCertificate = makeCertificateFinder(ports.certificates, options.certificates ?? NO_CERTIFICATES)
  const { checks = () => [] } = options
  const inTime = makeAnswerDeadline(ports)
  const forwardedStateOf = makeForwardedState(isProxy, sourceOf)
  const own = { inTime, findCertificate, credentials, sourceOf, checks, forwardedStateOf, metrics, traces }
  const wire = { ports, refuser, logger, ...own, ...followingOf(options) }
  void app.register(async scope => registerConsole(scope, wire, basePath))
  void app.register(async scope => registerOperations(scope, wire), { prefix: basePath })
  void app.register(async scope => registerAdministration(scope, wire), { prefix: basePath })
  void app.register(async scope => registerMetadata(scope, wire, basePath))
  app.addHook('onClose', (_app, done) => {
    outages.close()
    done()
  })
  return app
}
