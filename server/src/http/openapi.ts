// The OpenAPI 3.1 description that the routes' schemas add up to, and its page, served from our own origin.
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ACCESS, type Access } from '../domain/access.ts'
import { ROLES } from '../domain/caller.ts'
import { completeDocument, DESCRIPTION } from './openapi-completion.ts'
import type { HeaderName, ParameterName } from './openapi-components.ts'

/** The alternatives, each with what a caller needs beyond being recognised: permissions of a key, roles of an operator. */
type Security = readonly Readonly<Record<string, string[]>>[]

export const byClient: Security = [{ clientForm: [] }, { clientBasic: [] }]
export const byIntrospector: Security = [{ apiKey: ['tokens:introspect'] }, { apiKeyBasic: ['tokens:introspect'] }]
export const byRevoker: Security = [{ identityProviderJwt: [ACCESS.revokeTokens.role] }, ...byClient]

const byAdministrator = ({ permission, role }: Access): Security => [
  { apiKey: [permission] },
  { identityProviderJwt: [role] },
]

const securitySchemesOf = (issuer: string) =>
  ({
    clientForm: {
      type: 'oauth2',
      description: 'client_id and client_secret in the form.',
      flows: { clientCredentials: { tokenUrl: `${issuer}/oauth/token`, scopes: {} } },
    },
    clientBasic: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, each form-encoded.' },
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'An API key. It needs the permission that the operation names.',
    },
    apiKeyBasic: { type: 'http', scheme: 'basic', description: 'The id of an API key, and the key.' },
    identityProviderJwt: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'A JWT of the identity provider. Its subject needs the role that the operation names, or one above it: ' +
        `${ROLES.join(', ')}.`,
    },
  }) as const

/** What an operation is called: by programs that are made from the document, and by people. */
type Name = { readonly operationId: string; readonly summary: string }

/** What the document cannot tell from the rest of an operation; openapi-completion.ts takes it out of the document. */
type Marks = {
  /** Statuses of refusals besides those that follow from its form. */
  readonly refusals?: readonly number[]
  readonly headers?: readonly HeaderName[]
  /** Headers of the request that its schemas do not hold. */
  readonly parameters?: readonly ParameterName[]
}

type Described = FastifySchema & { 'x-marks': Marks }

const describe = ({ operationId, summary }: Name, security: Security, marks: Marks): Described => ({
  operationId,
  summary,
  security: [...security],
  'x-marks': { refusals: marks.refusals ?? [], headers: marks.headers ?? [], parameters: marks.parameters ?? [] },
})

type Form = Name & Marks & { readonly security: Security; readonly form: z.ZodType; readonly answer: z.ZodType }

/** A POST of a form that is answered in JSON. */
export const describeForm = ({ security, form, answer, ...rest }: Form): FastifySchema => ({
  ...describe(rest, security, rest),
  consumes: ['application/x-www-form-urlencoded'],
  body: form,
  response: { 200: answer },
})

/** Of a body in JSON its schema; of another media type, or of several, one for each. */
type Answer = z.ZodType | { readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }

type Answers = Readonly<Record<number, Answer>>

/** A GET that anybody may make, answered in JSON. */
export const describeRead = ({ answers, ...rest }: Name & Marks & { readonly answers: Answers }): FastifySchema => ({
  ...describe(rest, [], rest),
  response: answers,
})

type Administration = Name & Marks & { readonly access: Access; readonly body?: z.ZodType; readonly answers: Answers }

/** An operation of the administration: JSON in, JSON out, problems in between. Refused input is attached for the handler. */
export const describeAdministration = ({ access, body, answers, ...rest }: Administration) => ({
  attachValidation: true,
  schema: {
    ...describe(rest, byAdministrator(access), rest),
    ...(body !== undefined && { consumes: ['application/json'], body }),
    response: answers,
  },
})

type List = Name & Marks & { readonly access: Access; readonly query: z.ZodType; readonly answer: z.ZodType }

/** A list under /api/v1. A refused query is attached for the handler. */
export const describeList = ({ access, query, answer, ...rest }: List) => ({
  attachValidation: true,
  schema: {
    ...describe(rest, byAdministrator(access), rest),
    querystring: query,
    response: { 200: answer },
  },
})

type Export = Name & { readonly access: Access; readonly query: z.ZodType; readonly record: z.ZodType }

/** An export under /api/v1: the records of a list as lines, or as a table. A refused query is attached for the handler. */
export const describeExport = ({ access, query, record, ...rest }: Export) => ({
  attachValidation: true,
  schema: {
    ...describe(rest, byAdministrator(access), { headers: ['Content-Disposition', 'X-Content-Type-Options'] }),
    querystring: query,
    response: {
      200: {
        description: 'Lines, each a record of the list; or comma-separated values (RFC 4180) under a line of names.',
        content: { 'application/x-ndjson': { schema: record }, 'text/csv': { schema: z.string() } },
      },
    },
  },
})

/** Collects the schemas of the routes that are registered after it. */
export const registerOpenapi = (app: FastifyInstance, issuer: string): void => {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Mintmark', version: '1', description: DESCRIPTION },
      servers: [{ url: issuer }],
      components: { securitySchemes: securitySchemesOf(issuer) },
    },
    transform: jsonSchemaTransform,
    transformObject: completeDocument,
  })
}

// The page loads its parts and the document from here, and nothing from anywhere else.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page at `/docs`, for people. */
export const registerPage = (app: FastifyInstance, basePath: string): void => {
  void app.register(async scope => {
    // The static files come with a lifetime of their own.
    scope.addHook('onSend', async (_request, reply) => {
      void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    })
    await scope.register(swaggerUi, {
      routePrefix: `${basePath}/docs`,
      staticCSP: PAGE_POLICY,
      uiConfig: { validatorUrl: null },
    })
  })
}
