// The parts that operations of the OpenAPI document refer to: headers, refusals, and the parameter of every creation.
import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../../../../api/values/limits.ts'
import { PROOF_CHARACTERS_MAX } from '../../../../packages/verify/src/readers/proof-claims.ts'
import { ISSUER } from '../../../../api/examples.ts'
import { ERRORS } from '../wire/error-reference.ts'

const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request in the log.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'Cache-Control': { description: 'Nothing may keep it.', required: true, schema: { const: 'no-store' } },
  Pragma: { description: 'With every answer of the token endpoint.', schema: { const: 'no-cache' } },
  Location: { description: 'Where what was made is found.', required: true, schema: { type: 'string', format: 'uri' } },
  Link: {
    description: 'The next page, `rel="next"`; on the last there is none.',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
  },
  Allow: { description: 'The methods of the path.', required: true, schema: { type: 'string' } },
  'Accept-Encoding': {
    description: 'The content coding that bodies may have: none (RFC 9110 §12.5.3).',
    required: true,
    schema: { const: 'identity' },
  },
  'Retry-After': {
    description: 'In how many seconds to ask again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'The credentials that are taken (RFC 9110 §11.6.1), one challenge for each scheme.',
    required: true,
    schema: { type: 'string' },
  },
  'WWW-Authenticate-If-Bearer': {
    description: 'Where the request came with a JWT (RFC 6750 §3.1).',
    schema: { type: 'string', pattern: 'error="insufficient_scope"' },
  },
  ETag: { description: 'For `If-None-Match`.', required: true, schema: { type: 'string', pattern: '^"[^"]+"$' } },
  Vary: { required: true, schema: { const: 'Accept' } },
  'Cache-Control-Public': {
    description: 'Any cache may keep it.',
    required: true,
    schema: { type: 'string', pattern: '^public, max-age=[0-9]+$' },
  },
  'Cache-Control-Immutable': {
    description: 'Who has it may keep it for a while.',
    required: true,
    schema: { type: 'string', pattern: '^private, immutable, max-age=[0-9]+$' },
  },
  'Content-Disposition': {
    description: 'A name for the file.',
    required: true,
    schema: { type: 'string', pattern: '^attachment; filename="[a-z.]+"$' },
  },
  'Content-Security-Policy': {
    description: 'A page loads nothing but its icon.',
    required: true,
    schema: { type: 'string', pattern: "^default-src 'none'; " },
  },
  'X-Accel-Buffering': {
    description: 'A proxy is to pass on each event as it comes.',
    required: true,
    schema: { const: 'no' },
  },
  'X-Content-Type-Options': { required: true, schema: { const: 'nosniff' } },
  'DPoP-Nonce': {
    description: "The nonce for the client's next proof (RFC 9449 §8), where the service demands nonces.",
    schema: { type: 'string', pattern: '^[!#-\\[\\]-~]+$' },
  },
  'Access-Control-Allow-Origin': { required: true, schema: { const: '*' } },
  'Access-Control-Expose-Headers': { required: true, schema: { type: 'string' } },
} as const

export type HeaderName = keyof typeof HEADERS

export type Reference = { readonly $ref: string }

/** The headers by the names of the wire: a suffix in the table only says which of two forms it has. */
export const headersOf = (names: readonly HeaderName[]): Readonly<Record<string, Reference>> =>
  Object.fromEntries(
    names.map(name => [name.replace(/-(?:Immutable|Public|If-Bearer)$/, ''), { $ref: `#/components/headers/${name}` }]),
  )

/** The headers of every response. */
export const EVERY = ['X-Request-Id', 'Cache-Control'] as const

/** The header that responses with a status have besides. */
export const OF_STATUS: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  403: 'WWW-Authenticate-If-Bearer',
  405: 'Allow',
  415: 'Accept-Encoding',
  429: 'Retry-After',
  503: 'Retry-After',
}

const members = { error: z.string(), error_description: z.string().describe('For people; it may change.') }

const PROBLEM_EXAMPLE = {
  type: `${ISSUER}/errors#already_exists`,
  title: ERRORS.already_exists.title,
  status: 409,
  detail: 'An agent named reporter exists already; choose another name.',
  error: 'already_exists',
  error_description: 'An agent named reporter exists already; choose another name.',
}

const FORMS = {
  /** RFC 6749 §5.2. */
  Error: { mediaType: 'application/json', schema: z.object(members), headers: [...EVERY, 'Pragma'] },
  Problem: {
    mediaType: 'application/problem+json',
    schema: z
      .object({
        type: z
          .url()
          .regex(/\/errors#[a-z_]+$/)
          .describe('The address of the section on this error in the error reference.'),
        title: z.string(),
        status: z.int(),
        detail: z.string(),
        ...members,
        id: z.string().optional().describe('Of what is there already: the Idempotency-Key made it before.'),
      })
      .meta({ description: 'RFC 9457.', examples: [PROBLEM_EXAMPLE] }),
    headers: EVERY,
  },
} as const

export type Form = keyof typeof FORMS

const FORM_NAMES = ['Error', 'Problem'] as const satisfies readonly Form[]

const schemaOf = (form: Form): object => {
  const { $schema: _, ...schema } = z.toJSONSchema(FORMS[form].schema)
  return schema
}

const codesOf = (status: number): string =>
  Object.entries(ERRORS)
    .filter(([, error]) => error.status === status)
    .map(([code]) => `\`${code}\``)
    .join(', ')

const refusalOf = (form: Form, status: number, named: readonly HeaderName[] = []) => {
  const { mediaType, headers } = FORMS[form]
  const own = OF_STATUS[status]
  return {
    description: `${STATUS_CODES[status]}: ${codesOf(status)}.`,
    headers: headersOf([...headers, ...named, ...(own === undefined ? [] : [own])]),
    content: { [mediaType]: { schema: { $ref: `#/components/schemas/${form}` } } },
  }
}

const refusalsOf = (form: Form) =>
  [...new Set(Object.values(ERRORS).map(({ status }) => status))].map(
    status => [`${form}${status}`, refusalOf(form, status)] as const,
  )

const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name for this creation, in double quotes or bare. A repeat within a day creates nothing: it is 409, and `id` ' +
      'names what the first made.',
    schema: { type: 'string', minLength: 1, maxLength: 2 * IDEMPOTENCY_KEY_CHARACTERS_MAX + 2 },
  },
  DPoP: {
    name: 'DPoP',
    in: 'header',
    description:
      'A proof, which binds the token to its key (RFC 9449). 400 `use_dpop_nonce` asks for one with the nonce in `DPoP-Nonce`.',
    schema: { type: 'string', maxLength: PROOF_CHARACTERS_MAX },
  },
  verbose: {
    name: 'verbose',
    in: 'query',
    description: 'With any value, or none: the answer names each component and its state.',
    allowEmptyValue: true,
    schema: { type: 'string' },
  },
} as const

export type ParameterName = keyof typeof PARAMETERS

/** What the operations refer to. */
export const SHARED = {
  headers: HEADERS,
  schemas: Object.fromEntries(FORM_NAMES.map(form => [form, schemaOf(form)])),
  responses: {
    ...Object.fromEntries(FORM_NAMES.flatMap(refusalsOf)),
    // Of what takes a proof.
    ProofError400: refusalOf('Error', 400, ['DPoP-Nonce']),
  },
  parameters: PARAMETERS,
} as const
