// Turns raw fields into the typed input of a route: its zod schema is the parser, the type and the documentation. At the end the
// path of a request, and how every application of ours reads them.
import { type Buffer, isUtf8 } from 'node:buffer'
import { z } from 'zod'
import { BYTE_ORDER_MARK, formatByteOrderMark } from '../../domain/text/text.ts'
import { type Pair, parsePairs } from '../../../../packages/verify/src/readers/form.ts'
import { RefusedInput } from './refused-input.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

// Form-encoded bodies and query strings as they came.

/** Pairs as they came, in order; undefined where the text is not form-encoded UTF-8. */
export type RawFields = { readonly pairs: readonly Pair[] | undefined }

export const parseBody = (body: Buffer): readonly Pair[] | undefined =>
  isUtf8(body) ? parsePairs(body.toString('utf8')) : undefined

/** `/oauth/*` ignores what it does not know (RFC 6749 §3.2); a list refuses it: a mistyped filter must not widen it. */
type Strictness = 'ignores unknown' | 'refuses unknown'

/** A field whose schema is an array may repeat. */
type Arity = 'one' | 'many'

type Parsed = { readonly value: unknown } | { readonly error: RefusedInput }

const refuse = (description: string): Parsed => ({ error: new RefusedInput(description) })

const arityOf = (field: unknown): Arity => {
  const inner: unknown = field instanceof z.ZodOptional ? field.unwrap() : field
  return inner instanceof z.ZodArray ? 'many' : 'one'
}

/** The name, where it looks like a mistyped one: a secret that was pasted in its place is not repeated. */
const quoteUnknown = (name: string): string => (/^[A-Za-z_]{1,40}$/.test(name) ? name : 'A name in the query string')

/** Whatever their text, such a token is one that nobody issued: what is said of it is the same for all of those. */
const TOKENS: ReadonlySet<string> = new Set(['token', 'subject_token', 'assertion'])

/** What begins with a byte order mark, which an editor puts in front of a file that is then sent as it is. */
const marked = ([name, value]: Pair): string | undefined => {
  if (name.startsWith(BYTE_ORDER_MARK)) return 'The name of a parameter'
  return value.startsWith(BYTE_ORDER_MARK) && !TOKENS.has(name) ? name : undefined
}

type Gathered = { readonly fields: Record<string, string | string[]> } | { readonly error: RefusedInput }

const gather = (pairs: readonly Pair[], arities: ReadonlyMap<string, Arity>, strictness: Strictness): Gathered => {
  const fields: Record<string, string | string[]> = {}
  for (const [name, value] of pairs) {
    const mark = marked([name, value])
    if (mark !== undefined) return { error: new RefusedInput(formatByteOrderMark(mark)) }
    const arity = arities.get(name)
    const before = arity === undefined ? undefined : fields[name]
    if (arity === undefined) {
      if (strictness === 'ignores unknown') continue
      return { error: new RefusedInput(`${quoteUnknown(name)} is not a parameter of this operation.`) }
    }
    if (value === '') {
      // RFC 6749 §3.1: a parameter without a value counts as omitted.
      if (strictness === 'ignores unknown') continue
      return { error: new RefusedInput(`${name} is empty: give it a value, or leave it out.`) }
    }
    if (Array.isArray(before)) before.push(value)
    else if (arity === 'many') fields[name] = [value]
    else if (before === undefined) fields[name] = value
    else return { error: new RefusedInput(`${name} is given more than once.`) }
  }
  return { fields }
}

/** The parser of a schema: every refusal names the parameter. */
const compileFields = (schema: z.ZodObject, strictness: Strictness): ((pairs: readonly Pair[]) => Parsed) => {
  const arities = new Map(Object.entries(schema.shape).map(([name, field]) => [name, arityOf(field)]))
  return pairs => {
    const gathered = gather(pairs, arities, strictness)
    if ('error' in gathered) return gathered
    const parsed = schema.safeParse(gathered.fields)
    if (parsed.success) return { value: parsed.data }
    const [issue] = parsed.error.issues
    return refuse(`${issue?.path.join('.') ?? 'The request'} ${issue?.message ?? 'is malformed'}.`)
  }
}

const FORM_WANTED = 'The request has no form: send its fields as application/x-www-form-urlencoded, in UTF-8.'

const bodyParser = (schema: z.ZodObject): ((body: Buffer | null) => Parsed) => {
  const parse = compileFields(schema, 'ignores unknown')
  return body => {
    if (body === null) return refuse(FORM_WANTED)
    const pairs = parseBody(body)
    return pairs === undefined ? refuse('The body is not a form in percent-encoded UTF-8.') : parse(pairs)
  }
}

export const QUERY_MALFORMED = 'The query string is not percent-encoded UTF-8.'

/** What a schema makes of the parameters of a query. */
export const readQuery = (schema: z.ZodObject, pairs: readonly Pair[]): Parsed =>
  compileFields(schema, 'refuses unknown')(pairs)

/** The parser of a query as it was sent. */
export const queryParser = (schema: z.ZodObject): ((query: RawFields) => Parsed) => {
  const parse = compileFields(schema, 'refuses unknown')
  return ({ pairs }) => (pairs === undefined ? refuse(QUERY_MALFORMED) : parse(pairs))
}

/** Fastify's validator for a part of a request; Fastify gives null for a body that is not there. */
export const compileValidator = ({ schema, httpPart }: { schema: unknown; httpPart?: string | undefined }) => {
  if (!(schema instanceof z.ZodObject)) throw new Error('The schema of a request is a z.object().')
  return httpPart === 'body' ? bodyParser(schema) : queryParser(schema)
}

// How every application of ours reads requests, whatever it listens on.

// Fastify's types know its own compilers only.
const COMPILERS: object = {
  buildValidator: () => compileValidator,
  // The schemas of answers only document: what is sent was typed where it was made.
  buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
}

/** The longest parameter of a path is a kid: 128 characters, each of which becomes up to three when it is percent-encoded. */
const PARAMETER_CHARACTERS_MAX = 384

/** Options of Fastify: query strings as they came, for the schemas to parse. */
export const READING = {
  routerOptions: {
    querystringParser: (text: string) => ({ pairs: parsePairs(text) }),
    maxParamLength: PARAMETER_CHARACTERS_MAX,
  },
  // Named here and not set later, so that the compilers that Fastify brings, and that nobody uses, are not even loaded.
  schemaController: { compilersFactory: COMPILERS },
}

const FORM = 'application/x-www-form-urlencoded'

/** Bodies are forms, read as bytes. */
export const takeForms = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    const type = request.headers['content-type'] ?? ''
    const charset = type === FORM ? undefined : /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1]
    const isTaken = charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8'
    // A body in another charset is none that we take: the validator then asks for one.
    done(null, isTaken ? body : null)
  })
}

// The path of a request, however its target spells it: whole (RFC 9112 §3.2.2), or percent-encoded where it need not be.

// What nearly every request has.
const PLAIN = /^\/[^?%]*$/

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

// An encoded slash divides no segments (RFC 3986 §2.2), here as in the router: decoded it would make this another path.
const decodeBetweenSlashes = (path: string): string => path.split(/%2f/i).map(decode).join('%2F')

/** The path alone, without what follows a question mark. */
export const pathOf = ({ url }: FastifyRequest): string => {
  if (PLAIN.test(url)) return url
  return decodeBetweenSlashes(url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '')
}

/** The path of the base URL, which every route has in front; empty where it has none. */
export const basePathOf = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, '')
