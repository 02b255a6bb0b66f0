// A row of the API as a route of Fastify: its schemas, which parse what it takes, and from which the OpenAPI document is made.
import type { FastifyRequest, FastifySchema } from 'fastify'
import { ACCESS } from '../../../../api/values/access.ts'
import {
  type Caller,
  methodOf,
  type Operation,
  type PathOf,
  pathOf,
  type QueryOf,
  subjectOf,
} from '../../../../api/operation.ts'

/** The alternatives, each with what a caller needs beyond being recognized: permissions of a key, roles of an operator. */
type Security = readonly Readonly<Record<string, readonly string[]>>[]

const BY_CLIENT: Security = [{ clientForm: [] }, { clientBasic: [] }, { clientCertificate: [] }]

const SECURITY: Readonly<Record<Exclude<Caller, object>, Security>> = {
  anyone: [],
  client: BY_CLIENT,
  introspector: [{ apiKey: ['tokens:introspect'] }, { apiKeyBasic: ['tokens:introspect'] }],
  issuer: [{ issuerJwt: [] }],
  revoker: [{ identityProviderJwt: [ACCESS.revokeTokens.role] }, ...BY_CLIENT],
}

const securityOf = (access: Caller): Security =>
  typeof access === 'string'
    ? SECURITY[access]
    : [{ apiKey: [access.permission] }, { identityProviderJwt: [access.role] }]

const schemaOf = (row: Operation): FastifySchema & { readonly 'x-marks': object } => ({
  operationId: row.id,
  summary: row.summary,
  tags: [subjectOf(row)],
  security: securityOf(row.access).map(one => ({ ...one })) as Record<string, string[]>[], // its types are mutable
  ...(row.query !== undefined && { querystring: row.query }),
  ...(row.body !== undefined && { consumes: ['application/json'], body: row.body }),
  ...(row.form !== undefined && { consumes: ['application/x-www-form-urlencoded'], body: row.form }),
  response: row.answers,
  // What the document cannot derive from the rest; openapi/openapi-completion.ts takes it out again.
  'x-marks': { refusals: row.refusals ?? [], headers: row.headers ?? [], parameters: row.parameters ?? [] },
})

/** A request of the row, once its schemas have parsed its path and query. */
export type RequestOf<Row extends Operation> = FastifyRequest<{ Querystring: QueryOf<Row>; Params: PathOf<Row> }>

/** Attaches refused input for the handler, where a caller must be recognized before it hears what is wrong. */
export const routeOf = (row: Operation) => ({
  method: methodOf(row),
  url: pathOf(row).replaceAll(/\{(\w+)\}/g, ':$1'),
  attachValidation: typeof row.access === 'object',
  schema: schemaOf(row),
  ...(row.bodyBytesMax !== undefined && { bodyLimit: row.bodyBytesMax }),
})
