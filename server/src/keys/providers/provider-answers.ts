// What an identity provider answers to the console's client: tokens, a refusal, or nothing of use.
import type * as Openid from 'openid-client'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { renewFrom, type SessionTokens } from '../../domain/clients/session.ts'
import type { LabelsOf, Metrics } from '../../ports/metrics.ts'
import { orUndefined } from '../or-undefined.ts'
import { DOCUMENT_BYTES_MAX, readBounded } from './fetch-json.ts'

/** openid-client, which is loaded when somebody signs in. */
export type OpenidClient = typeof Openid

const UNAUTHORIZED = 401
const SERVER_ERROR = 500
const TOO_MANY_REQUESTS = 429

const isTransient = (status: number): boolean => status >= SERVER_ERROR || status === TOO_MANY_REQUESTS

/** The errors of a redirect, which has no status (RFC 6749 §4.1.2.1). Some providers answer them at the token endpoint, with 400. */
const TRANSIENT_ERRORS: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])

/**
 * `refused`: the provider's own word about a request that it understood. `client_refused`: it does not take the console's client, as
 * where its secret is wrong (RFC 6749 §5.2; some providers name that otherwise, with the same status). `outage`: to be tried again.
 * `other`: it is none that we understand.
 */
export const kindOfFault = (
  { AuthorizationResponseError, ClientError, ResponseBodyError }: OpenidClient,
  fault: unknown,
) => {
  // Whatever its name is: anybody can write the address of a callback, and must not report an outage by it.
  if (fault instanceof AuthorizationResponseError) return 'refused'
  if (fault instanceof ResponseBodyError) {
    if (isTransient(fault.status) || TRANSIENT_ERRORS.has(fault.error)) return 'outage'
    return fault.status === UNAUTHORIZED || fault.error === 'invalid_client' ? 'client_refused' : 'refused'
  }
  if (!(fault instanceof ClientError)) return 'outage'
  if (fault.code === 'OAUTH_TIMEOUT' || fault.code === 'OAUTH_ABORT') return 'outage'
  if (!(fault.cause instanceof Response)) return 'other'
  if (fault.cause.status === UNAUTHORIZED) return 'client_refused'
  return isTransient(fault.cause.status) ? 'outage' : 'other'
}

const REFUSED_MAX = 60
const CAUSE_CHARACTERS = 200

/** Explains a fault in one sentence for the operator. Of the response it quotes at most the name of an error (RFC 6749 §5.2). */
export const explainFault = (oidc: OpenidClient, fault: unknown): string => {
  const isNamed = fault instanceof oidc.AuthorizationResponseError || fault instanceof oidc.ResponseBodyError
  const unnamed = kindOfFault(oidc, fault) === 'client_refused' ? 'invalid_client' : ''
  const name = isNamed ? fault.error : unnamed
  return /^[a-z_]+$/.test(name) && name.length <= REFUSED_MAX
    ? `The identity provider refused: ${name}.`
    : 'What the identity provider answered is not what a sign-in needs.'
}

/** What the library found wrong, for the log: names of claims and values that it expected, and no token. */
export const causeOfFault = (fault: unknown): string => {
  if (!(fault instanceof Error)) return ''
  const { message, cause } = fault
  return (cause instanceof Error ? `${message}: ${cause.message}` : message).slice(0, CAUSE_CHARACTERS)
}

/** `fetch` that reads no more of an answer than a document of a provider may have. */
const fetchBounded: Openid.CustomFetch = async (address, { body: sent, ...init }) => {
  const response = await fetch(address, { ...init, ...(sent !== undefined && { body: sent }) })
  const body = await readBounded(response)
  if (body === undefined) throw new Error(`The answer has more than ${DOCUMENT_BYTES_MAX} bytes.`)
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  // The error is in the body (RFC 6749 §5.2), which the library does not read beside a challenge.
  headers.delete('www-authenticate')
  return new Response(body.length === 0 ? null : new Uint8Array(body), { status, statusText, headers })
}

type CallOutcome = LabelsOf<'mintmark_sign_in_calls_total'>['outcome']

const outcomeOf = (status: number): CallOutcome => {
  if (status < 400) return 'success'
  return status < SERVER_ERROR ? 'refused' : 'failure'
}

/** fetchBounded, whose calls are counted and measured: tokens are asked for by POST, everything else is metadata. */
export const makeMeasuredFetch = (metrics: Metrics): Openid.CustomFetch => {
  const observe = {
    metadata: metrics.histogram('mintmark_sign_in_call_seconds', { call: 'metadata' }),
    token: metrics.histogram('mintmark_sign_in_call_seconds', { call: 'token' }),
  }
  return async (address, sent) => {
    const call = sent.method === 'POST' ? 'token' : 'metadata'
    const began = performance.now()
    let outcome: CallOutcome = 'failure'
    try {
      const response = await fetchBounded(address, sent)
      outcome = outcomeOf(response.status)
      return response
    } finally {
      observe[call]((performance.now() - began) / 1000)
      metrics.add('mintmark_sign_in_calls_total', { call, outcome })
    }
  }
}

/** A larger `exp`, as of a provider that counts in milliseconds, is taken for this one: its milliseconds are an exact number in JavaScript. */
const EXPIRY_SECONDS_MAX = 1e12

const payloadOf = (jwt: string): unknown =>
  orUndefined((): unknown => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()))

/** RFC 7519 §4.1.4, in milliseconds, of a JWT that nobody verified; 0 for anything else. */
const expiryOf = (jwt: string): number => {
  const payload = payloadOf(jwt)
  const exp = typeof payload === 'object' && payload !== null && 'exp' in payload ? payload.exp : undefined
  return typeof exp === 'number' && exp >= 0 ? Math.floor(Math.min(exp, EXPIRY_SECONDS_MAX) * 1000) : 0
}

type Received = {
  /** The refresh token that goes on where the provider gives no other. */
  readonly earlier: string | null
  readonly now: Milliseconds
}

export const tokensOf = (answer: Openid.TokenEndpointResponse, { earlier, now }: Received): SessionTokens => {
  const expiresAt = expiryOf(answer.access_token)
  return {
    jwt: answer.access_token,
    refreshToken: answer.refresh_token ?? earlier,
    expiresAt,
    renewFrom: renewFrom(expiresAt, now),
  }
}

const NAME_CHARACTERS_MAX = 200

const textIn = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()
    ? value.slice(0, NAME_CHARACTERS_MAX).toWellFormed()
    : null

/** OpenID Connect Core §5.1. */
export const nameIn = (claims: Readonly<Record<string, unknown>>): string | null =>
  textIn(claims['name']) ?? textIn(claims['preferred_username']) ?? textIn(claims['email'])
