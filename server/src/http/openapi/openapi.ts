// How a route describes itself: its schemas, which parse what it takes, and from which http/openapi/openapi-document.ts is made.
import type { FastifySchema } from 'fastify'
import type { z } from 'zod'
import { ACCESS, type Access } from '../../../../api/values/access.ts'
import type { HeaderName, ParameterName } from './openapi-components.ts'

/** The alternatives, each with what a caller needs beyond being recognised: permissions of a key, roles of an operator. */
type Security = readonly Readonly<Record<string, string[]>>[]

export const byClient: Security = [{ clientForm: [] }, { clientBasic: [] }, { clientCertificate: [] }]
export const byIntrospector: Security = [{ apiKey: ['tokens:introspect'] }, { apiKeyBasic: ['tokens:introspect'] }]
export const byRevoker: Security = [{ identityProviderJwt: [ACCESS.revokeTokens.role] }, ...byClient]

const byAdministrator = ({ permission, role }: Access): Security => [
  { apiKey: [permission] },
  { identityProviderJwt: [role] },
]

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

/** Of a body in JSON its schema; of another media type, or of several, one for each. */
type Answer =
  | z.ZodType
  | { readonly description?: string; readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }

type Form = Name & Marks & { readonly security: Security; readonly form: z.ZodType; readonly answer: Answer }

/** A POST of a form. */
export const describeForm = ({ security, form, answer, ...rest }: Form): FastifySchema => ({
  ...describe(rest, security, rest),
  consumes: ['application/x-www-form-urlencoded'],
  body: form,
  response: { 200: answer },
})

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
