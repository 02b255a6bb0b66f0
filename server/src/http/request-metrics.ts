// Counts and measures answered requests, by operation and outcome.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type LabelsOf, type Metrics, NO_METRICS } from '../ports/metrics.ts'
import { noteOf } from './notes/request-note.ts'
import { queuedMs } from './wire/arrival.ts'

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
      const traceId = noteOf(request.raw)?.span?.sampled?.traceId
      metrics.observe('mintmark_request_seconds', { operation }, (performance.now() - beganAt) / 1000, traceId)
    })
    done()
  })
}
