// What is recorded of each request once it has ended: its metrics, its span, and its line in the access log.
import { ServerResponse, type IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import type { Secrets } from '../../ports/secrets.ts'
import { NO_TRACES, type RequestSpan, type Traces } from '../../ports/traces.ts'
import { makeAnswerMetrics, type AnswerSeries } from './answer-metrics.ts'
import { queuedMs, wishedMs } from '../wire/answer-deadline.ts'
import { type AccessLog, formatOutcome } from './access-line.ts'
import { type EndedRequest, noteOf, openNote, type RequestNote, type RouteFacts, whoOf } from './request-note.ts'

// What is the same for every request of a route, made once for each route.

const NOT_AN_OPERATION = 'other'

// Fastify's types know only the schema of validation.
const operationOf = (schema: object | undefined): string =>
  schema !== undefined && 'operationId' in schema && typeof schema.operationId === 'string'
    ? schema.operationId
    : NOT_AN_OPERATION

/** The series of an operation; null where nothing is measured. */
type SeriesOf = (operation: string) => AnswerSeries | null

type Routes = {
  /** Call it before any route is registered. */
  readonly register: (app: FastifyInstance) => void
  /** The facts for a request that was answered before the hooks of its route began, or that no route fits. */
  readonly factsOf: (request: FastifyRequest) => RouteFacts
}

const makeRoutes = (seriesOf: SeriesOf): Routes => {
  const byUrl = new Map<string, RouteFacts>()
  const factsAt = (url: string, schema: object | undefined): RouteFacts => {
    const operation = operationOf(schema)
    const known = byUrl.get(url)
    if (known?.operation === operation) return known
    const facts = { operation, route: url.replaceAll(/:(\w+)/g, '{$1}'), series: seriesOf(operation) }
    byUrl.set(url, facts)
    return facts
  }
  const noRoute = { operation: NOT_AN_OPERATION, route: null, series: seriesOf(NOT_AN_OPERATION) }

  return {
    register: app => {
      app.addHook('onRoute', route => {
        const facts = factsAt(route.url, route.schema)
        // Fastify makes the options of a request anew whenever they are read.
        const note = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
          const noted = noteOf(request.raw)
          if (noted !== undefined) noted.facts = facts
          done()
        }
        route.onRequest = [note, ...[route.onRequest ?? []].flat()]
      })
    },
    factsOf: ({ is404, routeOptions: { url, schema } }) =>
      is404 || url === undefined ? noRoute : factsAt(url, schema),
  }
}

// Responses that report their own end. Node reports it by an event, and a listener that is added to each response costs more
// than all that is noted of its request.

/**
 * For the option `ServerResponse` of a server of Node. `onEnd` is called once for each response, last: it is finished, or its connection has
 * ended before it was. Of the two, `writableFinished` says which.
 */
const makeNotedResponse = (onEnd: (response: ServerResponse) => void): typeof ServerResponse =>
  class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override emit(event: string | symbol, ...rest: unknown[]): boolean {
      if (event === 'close') onEnd(this)
      // No event of a response that comes with every request has an argument.
      return rest.length === 0 ? super.emit(event) : super.emit(event, ...rest)
    }
  }

type Observers = {
  readonly metrics: Metrics
  readonly traces: Traces
  /** Null where there is none. */
  readonly accessLog: AccessLog | null
  readonly hash: Secrets['hash']
}

export type Notes = {
  /** The class of responses that note their requests. */
  readonly ServerResponse: typeof ServerResponse
  /** Begins to note a request that no hook sees. */
  readonly begin: (reply: FastifyReply) => RequestNote
  /** Notes all others. Call it before any other hook is added. */
  readonly register: (app: FastifyInstance) => void
}

const startSpan = (traces: Traces, { raw, protocol }: FastifyRequest): RequestSpan => {
  const { traceparent, tracestate } = raw.headers
  const { method = '' } = raw
  return traces.startRequest({ method, scheme: protocol, traceparent, tracestate, waitedMs: queuedMs(raw) })
}

/** The size of the body where it is known; null for a stream. */
const bytesOf = (header: unknown): string | number | null =>
  typeof header === 'number' || typeof header === 'string' ? header : null

type Outcome = Parameters<typeof formatOutcome>[0]

/** The text of the outcome that requests of a route had last, which nearly all of them have. */
const makeOutcomes = () => {
  const last = new WeakMap<RouteFacts, { readonly outcome: Outcome; readonly text: string }>()
  return (facts: RouteFacts, method: string, status: number | null, code: Outcome['code']): string => {
    const before = last.get(facts)
    if (before !== undefined) {
      const { outcome } = before
      if (outcome.status === status && outcome.code === code && outcome.method === method) return before.text
    }
    const { route, operation } = facts
    const outcome = { method, route, operation, status, code }
    const text = formatOutcome(outcome)
    last.set(facts, { outcome, text })
    return text
  }
}

/** Records a request that has ended. Must not throw or wait. */
type Observe = (ended: EndedRequest) => void

/** A request without an answer counts in no metric of answers, nor does the time for which its caller wished to wait. */
const countAnswer: Observe = ({ note: { reply }, facts: { series }, status, tookMs }) => {
  if (status === null) return
  series?.(status, Math.max(0, tookMs - wishedMs(reply.request.raw)) / 1000)
}

/** Writes a line of the access log for a request. */
const makeLines = (accessLog: AccessLog, hash: Secrets['hash']): Observe => {
  const outcomeOf = makeOutcomes()
  return ({ note: { reply, broken, code, span, caller }, facts, status, tookMs }) => {
    const { request } = reply
    accessLog({
      requestId: request.id,
      outcome: outcomeOf(facts, request.method, status, broken?.code ?? code),
      milliseconds: tookMs,
      bytes: broken?.bytes ?? bytesOf(reply.getHeader('content-length')),
      who: caller === null ? null : whoOf(caller, hash),
      traceId: span?.traceId,
    })
  }
}

const endSpan: Observe = ({ note: { reply, broken, code, span }, facts: { route, operation }, status }) => {
  const { raw, request } = reply
  span?.end({
    route: route ?? undefined,
    operation,
    requestId: request.id,
    status: status ?? raw.statusCode,
    code: broken?.code ?? code ?? undefined,
    isAborted: status === null,
  })
}

/** Records the step that ends now: the arrival of the body, its parser, and its comparison with the schema. */
const recordParsing = (traces: Traces, { span, parsingAt }: RequestNote): void => {
  if (span?.sampled === undefined || parsingAt === null) return
  const now = Date.now()
  traces.record(span.sampled, 'parse', [now - (performance.now() - parsingAt), now])
}

/** Null where nothing is recorded: then no request is noted. */
export const makeNotes = ({ metrics, traces, accessLog, hash }: Observers): Notes | null => {
  const isTraced = traces !== NO_TRACES
  if (metrics === NO_METRICS && accessLog === null && !isTraced) return null
  const routes = makeRoutes(makeAnswerMetrics(metrics))
  const observers: readonly Observe[] = [
    ...(metrics === NO_METRICS ? [] : [countAnswer]),
    ...(isTraced ? [endSpan] : []),
    ...(accessLog === null ? [] : [makeLines(accessLog, hash)]),
  ]
  const factsOf = ({ facts, reply }: RequestNote): RouteFacts => facts ?? routes.factsOf(reply.request)

  const begin = (reply: FastifyReply): RequestNote => {
    const { request } = reply
    return openNote(reply, performance.now() - queuedMs(request.raw), isTraced ? startSpan(traces, request) : null)
  }

  const register = (app: FastifyInstance): void => {
    routes.register(app)
    app.addHook('onRequest', (_request: FastifyRequest, reply: FastifyReply, done) => {
      const { span } = begin(reply)
      if (span === null) done()
      else traces.inside(span.sampled, done)
    })
    if (!isTraced) return
    app.addHook('preParsing', (request, _reply, body, done) => {
      const note = noteOf(request.raw)
      if (note !== undefined) note.parsingAt = performance.now()
      done(null, body)
    })
    // The events of a body are not of the span that its request began in.
    app.addHook('preHandler', (request: FastifyRequest, _reply: FastifyReply, done) => {
      const note = noteOf(request.raw)
      if (note !== undefined) recordParsing(traces, note)
      traces.inside(note?.span?.sampled, done)
    })
  }

  return {
    ServerResponse: makeNotedResponse(({ req, statusCode, writableFinished }) => {
      const note = noteOf(req)
      if (note === undefined) return
      const tookMs = performance.now() - note.beganAt
      const status = writableFinished ? statusCode : (note.broken?.status ?? null)
      const ended = { note, facts: factsOf(note), status, tookMs }
      for (const observe of observers) observe(ended)
    }),
    begin,
    register,
  }
}
