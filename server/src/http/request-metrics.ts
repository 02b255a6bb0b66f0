// Counts and measures answered requests, by operation and outcome.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type LabelsOf, type Metrics, NO_METRICS } from '../ports/metrics.ts'
import { queuedMs } from './wire/arrival.ts'

const NOT_AN_OPERATION = 'other'

const outcomeOf = (status: number): LabelsOf<'mintmark_requests_total'>['outcome'] => {
  if (status < 400) return 'success'
  if (status < 500) return 'refused'
  return status === 503 ? 'unavailable' : 'fault'
}

// Fastify's types know only the schema of validation.
const operationOf = ({ routeOptions: { schema } }: FastifyRequest): string =>
  schema !== undefined && 'operationId' in schema && typeof schema.operationId === 'string'
    ? schema.operationId
    : NOT_AN_OPERATION

/** Call it before the routes are registered. */
export const measureAnswers = (app: FastifyInstance, metrics: Metrics): void => {
  // The hook costs something by itself.
  if (metrics === NO_METRICS) return
  app.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const operation = operationOf(request)
    const seconds = (reply.elapsedTime + queuedMs(request.raw)) / 1000
    metrics.add('mintmark_requests_total', { operation, outcome: outcomeOf(reply.statusCode) })
    metrics.observe('mintmark_request_seconds', { operation }, seconds)
    done()
  })
}
