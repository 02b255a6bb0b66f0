// Completes the OpenAPI document with what follows from the form of an operation: its headers, its refusals.
import { STATUS_CODES } from 'node:http'
import type { SwaggerTransformObject } from '@fastify/swagger'
import type { Example } from '../../../../api/operation.ts'
import { OPERATIONS } from '../../../../api/operations.ts'
import {
  EVERY,
  type Form,
  type HeaderName,
  headersOf,
  OF_STATUS,
  type ParameterName,
  type Reference,
  SHARED,
} from './openapi-components.ts'

export const DESCRIPTION = `A token service for software agents.

Every answer carries \`X-Request-Id\`: that of the request where it sent a harmless one, else a new one. HEAD is answered
as GET is, without the body. A path with another method than those below is 405 with \`Allow\`, and a path that is not below 404,
in the form of the other refusals: below /api/v1 a problem (RFC 9457), else as RFC 6749 §5.2 has it. What cannot be read as a
request is 400, 408, 431 or 501, and the connection is closed.

An operation names the credentials that it takes: with a key the permission that it needs, with a JWT of the identity provider
the least role.`

type Content = Record<string, { schema?: { type?: string; properties?: object; default?: unknown }; example?: unknown }>

type Response = { description: string; headers?: object; content?: Content }

type Operation = {
  operationId: string
  security?: readonly Readonly<Record<string, unknown>>[]
  parameters?: (Reference | { readonly in: string })[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Response | Reference>
  'x-marks'?: Marks
}

type Marks = {
  readonly refusals: readonly number[]
  readonly headers: readonly HeaderName[]
  readonly parameters: readonly ParameterName[]
}

const NO_MARKS: Marks = { refusals: [], headers: [], parameters: [] }

const statusesOf = (method: string, { security = [], parameters = [], responses }: Operation): readonly number[] => {
  const schemes = security.flatMap(Object.keys)
  const kinds = [
    [true, [400, 421, 500]],
    [schemes.length > 0, [401, 429, 503]],
    [schemes.some(scheme => !scheme.startsWith('client')), [403]],
    // The cookie of the console stands for the JWT of an operator: more cookies than are read are 431.
    [schemes.includes('identityProviderJwt'), [431]],
    [parameters.some(parameter => 'in' in parameter && parameter.in === 'path'), [404]],
    // What creates takes an Idempotency-Key.
    ['201' in responses, [409]],
    [method !== 'get', [413, 415]],
  ] as const
  return kinds.flatMap(([holds, statuses]) => (holds ? statuses : []))
}

const isPage = ({ content }: Response): boolean =>
  Object.values(content ?? {}).some(
    ({ schema }) => schema?.properties !== undefined && 'next_cursor' in schema.properties,
  )

const completeAnswer = (status: string, response: Response, named: readonly HeaderName[]): void => {
  const own = OF_STATUS[Number(status)]
  const isKept = named.includes('Cache-Control-Public') || named.includes('Cache-Control-Immutable')
  response.headers = headersOf([
    ...EVERY.filter(name => !(isKept && name === 'Cache-Control')),
    ...named,
    ...(status === '201' ? (['Location'] as const) : []),
    ...(isPage(response) ? (['Link'] as const) : []),
    ...(own === undefined ? [] : [own]),
  ])
  // What the plugin says of any answer.
  if (response.description === 'Default Response') response.description = `${STATUS_CODES[status]}.`
  if (status === '204' || status === '304') delete response.content
}

const EXAMPLES: ReadonlyMap<string, Example> = new Map(OPERATIONS.map(({ id, example = {} }) => [id, example]))

const completeExamples = ({ operationId, requestBody, responses }: Operation): void => {
  const { body, answer, text } = EXAMPLES.get(operationId) ?? {}
  for (const media of Object.values(requestBody?.content ?? {})) if (body !== undefined) media.example = body
  const made = responses['201'] ?? responses['200']
  if (made === undefined || '$ref' in made || answer === undefined) return
  for (const media of Object.values(made.content ?? {})) media.example = media.schema?.type === 'string' ? text : answer
}

const completeOperation = (path: string, method: string, operation: Operation): void => {
  const { refusals, headers, parameters } = operation['x-marks'] ?? NO_MARKS
  delete operation['x-marks']
  const takesProof = parameters.includes('DPoP')
  const named = path === '/oauth/token' ? [...headers, 'Pragma' as const] : [...headers]
  if (takesProof) named.push('DPoP-Nonce')
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (!('$ref' in answer)) completeAnswer(status, answer, named)
  }
  const form: Form = path.startsWith('/api/') ? 'Problem' : 'Error'
  for (const status of [...statusesOf(method, operation), ...refusals]) {
    const name = takesProof && status === 400 ? 'ProofError400' : `${form}${status}`
    operation.responses[status] ??= { $ref: `#/components/responses/${name}` }
  }
  const taken = '201' in operation.responses ? [...parameters, 'Idempotency-Key'] : parameters
  if (taken.length > 0) {
    const references = taken.map(name => ({ $ref: `#/components/parameters/${name}` }))
    operation.parameters = [...(operation.parameters ?? []), ...references]
  }
  const { requestBody } = operation
  // The plugin calls every body required; one whose schema has a default may be left out.
  const schema = requestBody?.content['application/json']?.schema
  if (requestBody !== undefined && schema !== undefined && 'default' in schema) requestBody.required = false
  completeExamples(operation)
}

/** Completes the document before it is served for the first time. */
export const completeDocument: SwaggerTransformObject = document => {
  if ('swaggerObject' in document) return document.swaggerObject
  // The plugin's types leave open which version it is; it makes each operation as registerOpenapi asked.
  const paths = document.openapiObject.paths as unknown as Record<string, Record<string, Operation>>
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) completeOperation(path, method, operation)
  }
  Object.assign(document.openapiObject.components ?? {}, SHARED)
  return document.openapiObject
}
