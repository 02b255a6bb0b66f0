// The wire: one Fastify instance that turns HTTP into calls of operations, and their answers into HTTP.
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Ports } from '../ports.ts'
import { registerAdministration } from './administration-routes.ts'
import { makeAnswerDeadline } from './answer-deadline.ts'
import { makeBrokenRequestHandler } from './broken-request.ts'
import { compileValidator } from './fields.ts'
import { parsePairs } from './form.ts'
import { registerOpenapi, registerPage } from './openapi.ts'
import { makeRefuser, type Refuser } from './refusals.ts'
import { makeRequestRules, requestIdOf } from './request-rules.ts'
import { registerDescription, registerMetadata, registerOperations } from './routes.ts'
import { answerUnknownRoutes } from './unknown-route.ts'

/** A request must have arrived whole by then: who sends a byte a minute holds no connection for ever. */
const REQUEST_TIMEOUT_MS = 30_000

/** In a path the longest is a kid: 128 characters, each of up to three once it is percent-encoded. */
const PARAMETER_CHARACTERS_MAX = 384

const FORM = 'application/x-www-form-urlencoded'

export type ServerOptions = {
  readonly bodyBytesMax: number
  readonly logger: Logger
  /** PEM. Without it the server speaks plain HTTP, for a proxy or the loopback interface. */
  readonly https?: { readonly cert: string; readonly key: string }
  /** The only `Host` headers that are answered, `name:port` in lower case; any others get 421. */
  readonly allowedHosts?: readonly string[]
}

type Errors = { readonly refuser: Refuser; readonly makeId: () => string }

const optionsOf = ({ bodyBytesMax, https }: ServerOptions, { refuser, makeId }: Errors) => ({
  // Our own lines go to options.logger; a child logger for each request is what Fastify's would cost.
  logger: false as const,
  bodyLimit: bodyBytesMax,
  requestTimeout: REQUEST_TIMEOUT_MS,
  // What is under way is answered while the server closes.
  return503OnClosing: false,
  requestIdHeader: false as const,
  genReqId: (request: IncomingMessage) => requestIdOf(request.headers['x-request-id'], makeId),
  routerOptions: {
    querystringParser: (text: string) => ({ pairs: parsePairs(text) }),
    maxParamLength: PARAMETER_CHARACTERS_MAX,
  },
  clientErrorHandler: makeBrokenRequestHandler(makeId),
  frameworkErrors: (fault: Error, request: FastifyRequest, reply: FastifyReply): void => {
    // No hook runs for a URL that cannot be read.
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store')
    refuser.fail(reply, fault)
  },
  // A request without Host is refused by us, in our shape.
  ...(https === undefined ? { http: { requireHostHeader: false } } : { https: { ...https, requireHostHeader: false } }),
})

const takeForms = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    const type = request.headers['content-type'] ?? ''
    const charset = type === FORM ? undefined : /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]
    const isUtf8 = charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8'
    // A body in another charset is none that we take: the validator then asks for one.
    done(null, isUtf8 ? body : null)
  })
}

/** Builds the server. It listens once its caller says so. The path of the issuer is the path of every route. */
export const buildServer = (ports: Ports, options: ServerOptions): FastifyInstance => {
  const { issuer } = ports.profile
  const basePath = new URL(issuer).pathname.replace(/\/$/, '')
  const { logger, allowedHosts } = options
  const refuser = makeRefuser({
    issuer,
    problemsUnder: `${basePath}/api/`,
    logger,
    countRefusal: (attempt, source) => ports.audit.countRefusal(attempt, source),
  })
  const makeId = (): string => ports.randomness.uuid()
  const app = fastify(optionsOf(options, { refuser, makeId })) as FastifyInstance
  app.setValidatorCompiler(compileValidator)
  // The schemas of answers only document: what is sent was typed where it was made.
  app.setSerializerCompiler(() => answer => JSON.stringify(answer))
  app.setErrorHandler((fault, _request, reply) => refuser.fail(reply, fault))
  takeForms(app)
  const answerUnknownRoute = answerUnknownRoutes(app, refuser)
  app.addHook('onRequest', makeRequestRules({ refuser, answerUnknownRoute, basePath, allowedHosts }))
  registerOpenapi(app, issuer)
  registerPage(app, basePath)
  const wire = { ports, refuser, logger, inTime: makeAnswerDeadline(ports) }
  void app.register(async scope => registerOperations(scope, wire), { prefix: basePath })
  void app.register(async scope => registerAdministration(scope, wire), { prefix: basePath })
  void app.register(async scope => registerDescription(scope), { prefix: basePath })
  void app.register(async scope => registerMetadata(scope, wire, basePath))
  app.addHook('preClose', done => {
    // A connection whose last answer is out would else be kept, and the server open, for a minute more.
    app.server.keepAliveTimeout = 1
    done()
  })
  // RFC 9110 §10.1.1: an expectation that we do not know may be passed over.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app
}
