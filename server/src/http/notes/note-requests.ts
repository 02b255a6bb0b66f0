// What is told of each request once it is answered: its span, and its line in the access log.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NO_TRACES, type RequestSpan, type Traces } from '../../ports/traces.ts'
import { operationOf } from '../request-metrics.ts'
import type { AccessLog } from './access-line.ts'
import { queuedMs } from '../wire/arrival.ts'
import { noteOf, openNote, type RequestNote } from './request-note.ts'

/** `accessLog`: null where there is none. */
type Telling = { readonly traces: Traces; readonly accessLog: AccessLog | null }

/** Of each route that was asked for. */
const templates = new Map<string, string>()

/** The template of its route, as of the document: `/api/v1/agents/{id}`. No part of it is the caller's. */
const routeOf = ({ is404, routeOptions: { url } }: FastifyRequest): string | undefined => {
  if (is404 || url === undefined) return undefined
  const known = templates.get(url)
  if (known !== undefined) return known
  const template = url.replaceAll(/:(\w+)/g, '{$1}')
  templates.set(url, template)
  return template
}

const startSpan = (traces: Traces, { raw, protocol }: FastifyRequest): RequestSpan => {
  const { traceparent, tracestate } = raw.headers
  const { method = '' } = raw
  return traces.startRequest({ method, scheme: protocol, traceparent, tracestate, waitedMs: queuedMs(raw) })
}

/** Of the body, where it is known; null for a stream. */
const bytesOf = (header: unknown): number | null =>
  typeof header === 'number' || typeof header === 'string' ? Number(header) : null

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly note: RequestNote }

const end = ({ request, reply, note }: Exchange, accessLog: AccessLog | null, seconds: number): void => {
  const { raw } = reply
  const [route, operation, isAborted] = [routeOf(request), operationOf(request), !raw.writableFinished]
  const { code, span, who } = note
  span?.end({ route, operation, requestId: request.id, status: raw.statusCode, code, isAborted })
  accessLog?.({
    requestId: request.id,
    method: request.method,
    route: route ?? null,
    operation,
    status: isAborted ? null : raw.statusCode,
    code: code ?? null,
    seconds,
    bytes: bytesOf(reply.getHeader('content-length')),
    who: who ?? null,
    ...(span !== null && { traceId: span.traceId }),
  })
}

/** Begins to note a request, and tells of it when it is answered or its connection ends. For one that no hook sees, call it. */
export const noteRequest = (
  { traces, accessLog }: Telling,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestNote => {
  const beganAt = performance.now() - queuedMs(request.raw)
  const note = openNote(request.raw, traces === NO_TRACES ? null : startSpan(traces, request))
  reply.raw.on('close', () => end({ request, reply, note }, accessLog, (performance.now() - beganAt) / 1000))
  return note
}

/** Whether anybody is told. */
export const isTold = ({ traces, accessLog }: Telling): boolean => traces !== NO_TRACES || accessLog !== null

/** Call it after `measureAnswers`, before any other hook is added. */
export const noteRequests = (app: FastifyInstance, telling: Telling): void => {
  const { traces } = telling
  if (!isTold(telling)) return
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const note = noteRequest(telling, request, reply)
    if (note.span === null) done()
    else traces.inside(note.span.sampled, done)
  })
  if (traces === NO_TRACES) return
  // The events of a body are not of the span that its request began in.
  app.addHook('preHandler', (request: FastifyRequest, _reply: FastifyReply, done) =>
    traces.inside(noteOf(request.raw)?.span?.sampled, done),
  )
}
