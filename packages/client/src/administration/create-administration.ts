// The administration of a service as an object of methods, made from the table of its operations.
import {
  isFlag,
  isFunction,
  isText,
  isWholeNumber,
  type Kind,
  onlyOne,
  takeMembers,
} from '../../../verify/src/wire/option-members.ts'
import type { Fetch } from '../wire/answer.ts'
import { checkBaseAddress } from '../wire/web-address.ts'
import { type ApiOperation, call, type Connection, type LooseRequest, takeRequest } from './call.ts'
import type { Administration } from './generated/administration.ts'
import { OPERATIONS } from './generated/operations.ts'
import { makeList } from './lists.ts'
import { readRecords } from './records.ts'

const ANSWER_MS_DEFAULT = 30_000
const ANSWER_MS_MAX = 300_000
/** The longest wait for the next part of an export; the service may pause in between. */
const PART_MS_MAX = 60_000

/** A secret, or what fetches the current one before each request. */
export type SecretSource = string | (() => string | Promise<string>)

export type AdministrationOptions = {
  /** The base URL of the service. */
  readonly url: string
  /** An API key, for `X-API-Key`. Exactly one of the three credentials is given. */
  readonly apiKey?: SecretSource | undefined
  /** A JWT of the identity provider, for `Authorization`. */
  readonly operatorJwt?: SecretSource | undefined
  /** The cookie of the console, which the browser adds by itself: for pages of the service. */
  readonly cookie?: true | undefined
  /** A `fetch` in place of the global one: with a proxy, or with a client certificate. */
  readonly fetch?: Fetch | undefined
  /** The deadline of a whole response, or of the beginning of an export: 30 s by default, 300 s at most. */
  readonly timeoutMs?: number | undefined
  /** Lets the credential go over http to other machines: for a network that protects it by itself. */
  readonly allowInsecureRequests?: boolean | undefined
}

const SECRET = /^[\x21-\x7E]{1,8192}$/
const EXPECTED_SECRET = 'one line of printable ASCII without spaces, of 1 to 8192 characters'

const isSecret = (value: unknown): value is string => typeof value === 'string' && SECRET.test(value)

const authorizeWith = ({ apiKey, operatorJwt, cookie }: AdministrationOptions): Connection['authorize'] => {
  if ([apiKey, operatorJwt, cookie].filter(credential => credential !== undefined).length !== 1) {
    throw new TypeError('Expected exactly one of apiKey, operatorJwt and cookie.')
  }
  const source = apiKey ?? operatorJwt
  if (source === undefined) return async () => ({ headers: {}, secret: '' })
  return async () => {
    const secret: unknown = typeof source === 'string' ? source : await source()
    if (!isSecret(secret)) {
      throw new TypeError(`The credential is not ${EXPECTED_SECRET}.`)
    }
    const headers = apiKey === undefined ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret }
    return { headers, secret }
  }
}

const isSecretSource: Kind = value =>
  typeof value === 'function' || isSecret(value) || `${EXPECTED_SECRET}, or a function that returns it`

const KINDS = {
  url: isText,
  apiKey: isSecretSource,
  operatorJwt: isSecretSource,
  cookie: value => value === true || 'true',
  fetch: isFunction,
  timeoutMs: isWholeNumber(1, ANSWER_MS_MAX),
  allowInsecureRequests: isFlag,
} as const satisfies Readonly<Record<keyof AdministrationOptions, Kind>>

const connect = (given: AdministrationOptions): Connection => {
  const options = takeMembers<AdministrationOptions>('createAdministration', given, KINDS)
  const { url, fetch, timeoutMs = ANSWER_MS_DEFAULT, allowInsecureRequests = false } = options
  return {
    url: checkBaseAddress(url, 'url', allowInsecureRequests).replace(/\/$/, ''),
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs,
    partMs: PART_MS_MAX,
    authorize: authorizeWith(options),
  }
}

const startFor = (connection: Connection, row: ApiOperation): ((request: LooseRequest) => unknown) => {
  if (row.kind === 'records') return request => readRecords(connection, row, request)
  if (row.kind === 'call') return request => call(connection, row, request)
  return request =>
    makeList(cursor =>
      call(connection, row, cursor === undefined ? request : { ...request, query: { ...request.query, cursor } }),
    )
}

const methodFor = (
  connection: Connection,
  id: string,
  row: ApiOperation,
): ((...given: readonly unknown[]) => unknown) => {
  const start = startFor(connection, row)
  const checked = (given: readonly unknown[]): unknown => {
    const request = onlyOne(id, given)
    return start(takeRequest(id, row, request === undefined ? {} : request))
  }
  // What returns a promise throws nothing at once.
  return row.kind === 'call' ? async (...given) => checked(given) : (...given) => checked(given)
}

/**
 * Makes the administration of a service: a method for each operation, by its id. A method throws `ApiRefused` or
 * `ApiUnavailable`, and a TypeError where a parameter is wrong; nothing is repeated by itself.
 */
export const createAdministration = (...options: readonly [options: AdministrationOptions]): Administration => {
  const connection = connect(onlyOne('createAdministration', options))
  const methods = Object.entries(OPERATIONS).map(([id, row]) => [id, methodFor(connection, id, row)])
  return Object.fromEntries(methods) as Administration // each as its row says
}
