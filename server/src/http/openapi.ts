// How a route describes itself: its schemas, which parse what it takes, and from which http/openapi-document.ts is made.
import type { FastifySchema } from 'fastify'
import { z } from 'zod'

type Security = readonly Readonly<Record<string, string[]>>[]

export const byClient: Security = [{ clientForm: [] }, { clientBasic: [] }]
export const byApiKey: Security = [{ apiKey: [] }]
export const byOperator: Security = [{ identityProviderJwt: [] }]
export const byIntrospector: Security = [...byApiKey, { apiKeyBasic: [] }]

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

/** A POST of a form that is answered in JSON. */
export const describeForm = (
  summary: string,
  security: Security,
  form: z.ZodType,
  answer: z.ZodType,
): FastifySchema => ({
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
