// One request of the administration: built from a row of the table, with the credential, answered in JSON within bounds.
import { startDeadline, within } from '../../../verify/src/wire/deadline.ts'
import { WEB_RUNTIME } from '../../../verify/src/wire/runtime.ts'
import { type Answer, exchange, ExchangeFault } from '../../../verify/src/wire/exchange.ts'
import { definite, isSignal, isText, type Kind, takeMembers } from '../../../verify/src/wire/option-members.ts'
import { type Fetch, isSuccess, parseObject, retryAfterOf } from '../wire/answer.ts'
import { harmless } from '../wire/redaction.ts'
import { ApiRefused, ApiUnavailable } from './api-errors.ts'
import { copyBody, copyPath, copyQuery, isDefiniteIn, type QueryValue } from './request-parts.ts'

/** A row of the table that generate.ts makes. */
export type ApiOperation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path below the base URL, with `{name}` for each parameter. */
  readonly path: string
  /** One answer, a list in pages, or an export as lines of JSON. */
  readonly kind: 'call' | 'list' | 'records'
  /** Whether it takes an `Idempotency-Key`. */
  readonly creates: boolean
  /** Whether it answers 204, with no body. */
  readonly mayBeEmpty: boolean
}

export type CallOptions = {
  /** Gives the request up; a change may have been made all the same. */
  readonly signal?: AbortSignal | undefined
}

export type CreationOptions = CallOptions & {
  /**
   * A name for this creation, of 1 to 255 printable ASCII characters: a repeat within a day creates nothing. One is made up
   * unless it is given; `ApiUnavailable` has it.
   */
  readonly idempotencyKey?: string | undefined
}

/** An operation that may be tried: a dry run answers what the act would end, in place of what the act answers. */
export type Tryable<Part extends 'body' | 'query', Request, Done, Counted> = {
  (request: Request & { readonly [P in Part]: { readonly dry_run: true } }): Promise<Counted>
  (request: Request & { readonly [P in Part]?: { readonly dry_run?: false } }): Promise<Done>
}

/** A request of any method, whose declared type is that of its operation. */
export type LooseRequest = CreationOptions & {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
}

export type Connection = {
  /** The base URL without a slash at its end. */
  readonly url: string
  readonly fetch: Fetch
  readonly timeoutMs: number
  /** The longest wait for the next part of an export, in ms. */
  readonly partMs: number
  /** The header with the credential, and the secret in it. */
  readonly authorize: () => Promise<{ readonly headers: Readonly<Record<string, string>>; readonly secret: string }>
}

/** A page of the largest records that there can be. */
const ANSWER_BYTES_MAX = 67_108_864
const IDEMPOTENCY_KEY = /^[\x20-\x7E]{1,255}$/

const isParts: Kind = value => (typeof value === 'object' && value !== null && !Array.isArray(value)) || 'an object'

const isGiven: Kind = value => value !== undefined || 'a value of JSON'

const PLACE = /\{(\w+)\}/g

const hasBody = (row: ApiOperation): boolean => row.method === 'POST' || row.method === 'PATCH'

/**
 * The parts of a request as they are now. Throws a TypeError for one that the operation does not have, that is of another type, or
 * of which something would not be sent.
 */
export const takeRequest = (id: string, row: ApiOperation, request: unknown): LooseRequest => {
  const taken = takeMembers<LooseRequest>(id, request, {
    path: isParts,
    // Without it a change would be more than what was meant: an act in place of its dry run.
    query: row.method === 'GET' ? isParts : definite(isParts),
    ...(hasBody(row) && { body: definite(isGiven) }),
    signal: isSignal,
    ...(row.creates && { idempotencyKey: isText }),
  })
  const names = [...row.path.matchAll(PLACE)].map(([, name = '']) => name)
  const { path = {}, query = {}, body } = taken
  const isDefinite = isDefiniteIn(id)
  return {
    ...taken,
    path: copyPath(path, names),
    query: copyQuery(query, isDefinite),
    body: copyBody(body, isDefinite),
  }
}

const checkSegment = (name: string, text: unknown): string => {
  // What a URL resolves before it is sent would name another path.
  const isId = typeof text === 'string' && text !== '' && text !== '.' && text !== '..' && text.isWellFormed()
  if (isId) return encodeURIComponent(text)
  throw new TypeError(`path.${name} is ${JSON.stringify(text)}; expected an id.`)
}

const targetOf = (row: ApiOperation, { path = {}, query = {} }: LooseRequest): string => {
  const target = row.path.replaceAll(PLACE, (_, name: string) => checkSegment(name, path[name]))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map(each => [name, String(each)]),
  )
  return pairs.length === 0 ? target : `${target}?${new URLSearchParams(pairs).toString()}`
}

/** RFC 9651 §3.3.3. */
const quote = (key: string): string => `"${key.replaceAll(/["\\]/g, '\\$&')}"`

const keyOf = ({ creates }: ApiOperation, { idempotencyKey }: LooseRequest): string | undefined => {
  if (!creates) return undefined
  if (idempotencyKey === undefined) return crypto.randomUUID()
  if (IDEMPOTENCY_KEY.test(idempotencyKey)) return idempotencyKey
  throw new TypeError('idempotencyKey is not 1 to 255 printable ASCII characters.')
}

/** The caller's function may hang. */
const authorizeInTime = async (
  { authorize, timeoutMs }: Connection,
  signal: AbortSignal | undefined,
): ReturnType<Connection['authorize']> => {
  const late = (): Error => new ApiUnavailable(`the function of the credential did not return within ${timeoutMs} ms`)
  return within(startDeadline(WEB_RUNTIME.after, timeoutMs, signal, late), authorize)
}

export type Message = {
  readonly url: string
  readonly init: RequestInit
  readonly idempotencyKey: string | undefined
  readonly secret: string
}

/** Throws a TypeError where a parameter is wrong: then nothing is sent. */
export const messageOf = async (connection: Connection, row: ApiOperation, request: LooseRequest): Promise<Message> => {
  const idempotencyKey = keyOf(row, request)
  const url = connection.url + targetOf(row, request)
  const { headers, secret } = await authorizeInTime(connection, request.signal)
  const { body } = request
  const init = {
    method: row.method,
    headers: {
      ...headers,
      accept: row.kind === 'records' ? 'application/x-ndjson' : 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': quote(idempotencyKey) }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
  return { url, init, idempotencyKey, secret }
}

const stringOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise)

/** What an answer without success means. */
export const refusalOf = ({ status, headers, bytes }: Answer, { idempotencyKey, secret }: Message): Error => {
  const { error, error_description: description, id } = parseObject(bytes) ?? {}
  const code = harmless(stringOr(error, ''), [secret])
  const said = harmless(stringOr(description, ''), [secret])
  if (status >= 400 && status < 500 && status !== 429 && code !== '') {
    return new ApiRefused({
      error: code,
      description: said,
      status,
      requestId: headers.get('x-request-id') ?? undefined,
      id: typeof id === 'string' ? id : undefined,
    })
  }
  const reason = `it answers ${status}${code === '' ? ', and not as Mintmark does' : ` ${code} (${said})`}`
  return new ApiUnavailable(reason, { retryAfterSeconds: retryAfterOf(headers, Date.now()), idempotencyKey })
}

export const unavailable = (fault: unknown, idempotencyKey?: string): unknown =>
  fault instanceof ExchangeFault ? new ApiUnavailable(fault.message, { idempotencyKey }) : fault

export const call = async (connection: Connection, row: ApiOperation, request: LooseRequest): Promise<unknown> => {
  const message = await messageOf(connection, row, request)
  const { fetch, timeoutMs } = connection
  const how = { fetch, timeoutMs, bytesMax: ANSWER_BYTES_MAX, signal: request.signal }
  let answer: Answer
  try {
    answer = await exchange(message.url, message.init, how)
  } catch (fault) {
    throw unavailable(fault, message.idempotencyKey)
  }
  if (!isSuccess(answer.status)) throw refusalOf(answer, message)
  if (row.mayBeEmpty && answer.status === 204) return undefined
  const body = parseObject(answer.bytes)
  if (body !== undefined) return body
  const { idempotencyKey } = message
  throw new ApiUnavailable(`it answers ${answer.status} with something else than an object of JSON`, { idempotencyKey })
}
