// What is the same for every request of a route, made once for each route.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AnswerSeries } from './answer-metrics.ts'
import { noteOf, type RouteFacts } from './request-note.ts'

const NOT_AN_OPERATION = 'other'

// Fastify's types know only the schema of validation.
const operationOf = (schema: object | undefined): string =>
  schema !== undefined && 'operationId' in schema && typeof schema.operationId === 'string'
    ? schema.operationId
    : NOT_AN_OPERATION

/** The series of an operation; null where nothing is measured. */
export type SeriesOf = (operation: string) => AnswerSeries | null

export type Routes = {
  /** Call it before any route is registered. */
  readonly register: (app: FastifyInstance) => void
  /** The facts for a request that was answered before the hooks of its route began, or that no route fits. */
  readonly factsOf: (request: FastifyRequest) => RouteFacts
}

export const makeRoutes = (seriesOf: SeriesOf): Routes => {
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
