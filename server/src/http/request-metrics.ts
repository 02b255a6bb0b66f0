// Counts, measures and traces answered requests, by operation and outcome.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type LabelsOf, type Metrics, NO_METRICS } from '../ports/metrics.ts'
import { NO_TRACES, type RequestSpan, type Traces } from '../ports/traces.ts'
import { queuedMs } from './wire/arrival.ts'
import { noteOf, openNote, type RequestNote } from './wire/request-note.ts'

const NOT_AN_OPERATION = 'other'

const outcomeOf = (status: number): LabelsOf<'mintmark_requests_total'>['outcome'] => {
  if (status < 400) return 'success'
  if (status < 500) return 'refused'
  return status === 503 ? 'unavailable' : 'fault'
}

// Fastify's types know only the schema of validation.
export const operationOf = ({ routeOptions: { schema } }: FastifyRequest): string =>
  schema !== undefined && 'operationId' in schema && typeof schema.operationId === 'string'
    ? schema.operationId
    : NOT_AN_OPERATION

/**
 * Call it before any other hook is added. Not by Fastify's onResponse, which costs each request four listeners: these
 * lines run for every request.
 */
export const measureAnswers = (app: FastifyInstance, metrics: Metrics): void => {
  if (metrics === NO_METRICS) return
  app.addHook('onRequest', (request: FastifyRequest, { raw }: FastifyReply, done) => {
    const beganAt = performance.now() - queuedMs(request.raw)
    raw.on('finish', () => {
      const operation = operationOf(request)
      metrics.add('mintmark_requests_total', { operation, outcome: outcomeOf(raw.statusCode) })
      metrics.observe('mintmark_request_seconds', { operation }, (performance.now() - beganAt) / 1000)
    })
    done()
  })
}

/** The template of its route, as of the document: `/api/v1/agents/{id}`. No part of it is the caller's. */
export const routeOf = ({ is404, routeOptions: { url } }: FastifyRequest): string | undefined =>
  is404 ? undefined : url?.replaceAll(/:(\w+)/g, '{$1}')

const start = (traces: Traces, { raw, protocol }: FastifyRequest): RequestSpan => {
  const { traceparent, tracestate } = raw.headers
  const { method = '' } = raw
  return traces.startRequest({ method, scheme: protocol, traceparent, tracestate, waitedMs: queuedMs(raw) })
}

/** Call it after `measureAnswers`, before any other hook is added. */
export const traceRequests = (app: FastifyInstance, traces: Traces): void => {
  if (traces === NO_TRACES) return
  app.addHook('onRequest', (request: FastifyRequest, { raw }: FastifyReply, done) => {
    const note: RequestNote = openNote(request.raw, start(traces, request))
    // Of each answer, and of a connection that ends before it.
    raw.once('close', () =>
      note.span?.end({
        route: routeOf(request),
        operation: operationOf(request),
        requestId: request.id,
        status: raw.statusCode,
        code: note.code,
        isAborted: !raw.writableFinished,
      }),
    )
    traces.inside(note.span?.sampled, done)
  })
  // The events of a body are not of the span that its request began in.
  app.addHook('preHandler', (request: FastifyRequest, _reply: FastifyReply, done) =>
    traces.inside(noteOf(request.raw)?.span?.sampled, done),
  )
}
