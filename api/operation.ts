// One operation of the API, one row: its route, who may call it, what it takes and what it answers. Routes, the OpenAPI
// document, the command line and the tests of the documentation derive from the rows.
import type { z } from 'zod'
import type { Access } from './values/access.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A method and a path below the base URL; `{name}` in it is a parameter. */
export type Route = `${Method} /${string}`

/**
 * Who may call: what an administrator needs; or anyone, a client (RFC 6749 §2.3), a resource server with an API key, a trusted
 * issuer by a JWT of its own, or a caller that may revoke the token (RFC 7009 §2.1).
 */
export type Caller = Access | 'anyone' | 'client' | 'introspector' | 'issuer' | 'revoker'

/** The body of an answer: the schema of its JSON, or one entry for each media type. */
export type Answer =
  | z.ZodType
  | { readonly description?: string; readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }

/** For the document. `answer` of lines is one of them. */
export type Example = { readonly body?: unknown; readonly answer?: unknown; readonly text?: string }

/** Headers of its answers beside those that every answer has. */
export type AnswerHeader =
  | 'Access-Control-Allow-Origin'
  | 'Access-Control-Expose-Headers'
  | 'Cache-Control-Immutable'
  | 'Cache-Control-Public'
  | 'Content-Disposition'
  | 'Content-Security-Policy'
  | 'ETag'
  | 'Vary'
  | 'X-Accel-Buffering'
  | 'X-Content-Type-Options'

/** Parameters of a request that no schema holds. */
export type OtherParameter = 'DPoP' | 'Idempotency-Key' | 'verbose'

export type Operation = {
  readonly route: Route
  /** What programs made from the document call it. */
  readonly id: string
  readonly summary: string
  readonly access: Caller
  readonly query?: z.ZodObject
  /** JSON. A schema with a default is of a body that may be left out. */
  readonly body?: z.ZodType
  /** `application/x-www-form-urlencoded`, in the place of JSON. */
  readonly form?: z.ZodObject
  /** By status; a body that is undefined is none. */
  readonly answers: Readonly<Record<number, Answer>>
  /** Statuses of refusals beside those that follow from the rest of the row. */
  readonly refusals?: readonly number[]
  readonly headers?: readonly AnswerHeader[]
  readonly parameters?: readonly OtherParameter[]
  /** The greatest size of a body; that of the service unless set here. */
  readonly bodyBytesMax?: number
  /**
   * How many values a body may hold where they are more than in others, and what to do beyond that. Such a body is read
   * only from an authorized caller.
   */
  readonly bodyValues?: { readonly max: number; readonly advice: string }
  readonly example?: Example
}

/** Keeps the types of a row. */
export const operation = <const Row extends Operation>(row: Row): Row => row

type ParametersIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParametersIn<Rest>
  : never

/** The parameters of its path. */
export type PathOf<Row extends Operation> = { readonly [Name in ParametersIn<Row['route']>]: string }

type PartOf<Row extends Operation, Name extends string> = Row extends {
  readonly [Part in Name]: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : undefined

/** Its body, form or query, as the schema makes it. */
export type BodyOf<Row extends Operation> = PartOf<Row, 'body'>
export type FormOf<Row extends Operation> = PartOf<Row, 'form'>
export type QueryOf<Row extends Operation> = PartOf<Row, 'query'>

/** What its answers hold, of whatever status. */
export type AnswerOf<Row extends Operation> = {
  [Status in keyof Row['answers']]: Row['answers'][Status] extends infer Body extends z.ZodType ? z.input<Body> : never
}[keyof Row['answers']]

export const methodOf = ({ route }: Pick<Operation, 'route'>): Method => route.slice(0, route.indexOf(' ')) as Method // Route says so

/** Below the base URL, with `{name}` for each parameter. */
export const pathOf = ({ route }: Pick<Operation, 'route'>): string => route.slice(route.indexOf(' ') + 1)

/** The path with the parameters in it, each percent-encoded. */
export const fillPath = <Row extends Operation>(row: Row, path: PathOf<Row>): string => {
  const values: Readonly<Record<string, string>> = path
  return pathOf(row).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}

const SUBJECTS: Readonly<Record<string, string>> = {
  '.well-known': 'metadata',
  errors: 'metadata',
  livez: 'health',
  readyz: 'health',
}

/** What it is about: its tag in the document. The credentials of an agent are a subject of their own. */
export const subjectOf = (row: Pick<Operation, 'route'>): string => {
  const [first = '', , subject = '', , part] = pathOf(row).slice(1).split('/')
  if (first !== 'api') return SUBJECTS[first] ?? first
  return part === 'credentials' ? part : subject
}
