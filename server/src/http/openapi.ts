// The OpenAPI 3.1 description that the routes' schemas add up to, and its page, served from our own origin.
import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { MEDIA_TYPES } from './export-format.ts'

type Security = readonly Readonly<Record<string, string[]>>[]

export const byClient: Security = [{ clientForm: [] }, { clientBasic: [] }]
export const byApiKey: Security = [{ apiKey: [] }]
export const byOperator: Security = [{ identityProviderJwt: [] }]
export const byIntrospector: Security = [...byApiKey, { apiKeyBasic: [] }]

const securitySchemesOf = (issuer: string) =>
  ({
    clientForm: {
      type: 'oauth2',
      description: 'client_id and client_secret in the form.',
      flows: { clientCredentials: { tokenUrl: `${issuer}/oauth/token`, scopes: {} } },
    },
    clientBasic: { type: 'http', scheme: 'basic', description: 'client_id and client_secret, each form-encoded.' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An administrator API key.' },
    apiKeyBasic: { type: 'http', scheme: 'basic', description: 'The id of an API key, and the key.' },
    identityProviderJwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  }) as const

const errorMembers = { error: z.string(), error_description: z.string() }

const oauthError = z.object(errorMembers).describe('RFC 6749 §5.2.')

const problem = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    ...errorMembers,
    id: z.string().optional().describe('What the Idempotency-Key made before.'),
  })
  .describe('RFC 9457.')

const describe = (summary: string, security: Security): FastifySchema => ({ summary, security: [...security] })

/** In JSON by its schema; in another media type, or in several, by one for each. */
type Answer =
  | z.ZodType
  | { readonly description: string; readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }

/** A POST of a form. */
export const describeForm = (summary: string, security: Security, form: z.ZodType, answer: Answer): FastifySchema => ({
  ...describe(summary, security),
  consumes: ['application/x-www-form-urlencoded'],
  body: form,
  response: { 200: answer, '4xx': oauthError, '5xx': oauthError },
})

const problemResponse = {
  description: 'A problem.',
  content: { 'application/problem+json': { schema: problem } },
}

/** A GET that is answered in JSON. What needs a credential is part of the API, whose errors are problems. */
export const describeRead = (summary: string, security: Security, answer: z.ZodType): FastifySchema => ({
  ...describe(summary, security),
  response: { 200: answer, ...(security.length > 0 && { '4xx': problemResponse, '5xx': problemResponse }) },
})

export const byAdministrator: Security = [...byApiKey, ...byOperator]

type Write = {
  readonly summary: string
  readonly body?: z.ZodType
  readonly answers: Readonly<Record<number, z.ZodType>>
}

/** An operation of the administration: JSON in, JSON out, problems in between. Refused input is attached for the handler. */
export const describeAdministration = ({ summary, body, answers }: Write) => ({
  attachValidation: true,
  schema: {
    ...describe(summary, byAdministrator),
    ...(body !== undefined && { consumes: ['application/json'], body }),
    response: { ...answers, '4xx': problemResponse, '5xx': problemResponse },
  },
})

/** A list under /api/v1. A refused query is attached for the handler. */
export const describeList = (summary: string, querystring: z.ZodType, answer: z.ZodType) => ({
  attachValidation: true,
  schema: { ...describeRead(summary, byAdministrator, answer), querystring },
})

/** An export under /api/v1: the records of a list as lines, or as a table. A refused query is attached for the handler. */
export const describeExport = (summary: string, querystring: z.ZodType, record: z.ZodType) => ({
  attachValidation: true,
  schema: {
    ...describe(summary, byAdministrator),
    querystring,
    response: {
      200: {
        description: 'Lines, each a record of the list; or comma-separated values (RFC 4180) under a line of names.',
        content: {
          [MEDIA_TYPES.ndjson]: { schema: record },
          [MEDIA_TYPES.csv]: { schema: z.string() },
        },
      },
      '4xx': problemResponse,
      '5xx': problemResponse,
    },
  },
})

/** The plugin calls every body required; one whose schema has a default may be left out. */
const markOptionalBodies: SwaggerTransformObject = document => {
  if ('swaggerObject' in document) return document.swaggerObject
  for (const { post } of Object.values(document.openapiObject.paths ?? {}).filter(path => path !== undefined)) {
    const body = post?.requestBody
    if (body === undefined || '$ref' in body) continue
    const { schema } = body.content['application/json'] ?? {}
    if (schema !== undefined && 'default' in schema) body.required = false
  }
  return document.openapiObject
}

/** Collects the schemas of the routes that are registered after it. */
export const registerOpenapi = (app: FastifyInstance, issuer: string): void => {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Mintmark', version: '1', description: 'A token service for software agents.' },
      servers: [{ url: issuer }],
      components: { securitySchemes: securitySchemesOf(issuer) },
    },
    transform: jsonSchemaTransform,
    transformObject: markOptionalBodies,
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
