// One request to the token endpoint: with client credentials alone (RFC 6749 §4.4), or with what was received from others.
import { type Answer, type Exchange, exchange, ExchangeFault } from '../../../verify/src/wire/exchange.ts'
import { isSuccess, parseObject, retryAfterOf } from '../wire/answer.ts'
import { harmless } from '../wire/redaction.ts'
import { FileFault } from '../wire/text-file.ts'
import { AccessToken, isTokenText, type TokenType } from './access-token.ts'
import { authenticate, type Authentication, type Credential } from './client-authentication.ts'
import type { Prover } from './dpop.ts'
import type { Endpoint } from './metadata.ts'
import type { Given } from './received-tokens.ts'
import { markNow, type Obtained, type World } from './token-cache.ts'
import { TokenRefused, TokenUnavailable } from './token-errors.ts'

const ANSWER_BYTES_MAX = 65_536
/** The longest lifetime that is believed: a token is replaced after a day, whatever the server says. */
const LIFETIME_SECONDS_MAX = 86_400

export type Grant = {
  readonly resources: readonly string[]
  readonly scope: string | undefined
  /** Called for each token, and not for each request: one that was refused for a nonce is sent again. */
  readonly read: () => Promise<Given>
}

export type TokenRequest = {
  readonly grant: Grant
  readonly clientId: string | undefined
  readonly credential: Credential
  readonly prover: Prover | undefined
  readonly findEndpoint: () => Promise<Endpoint>
  readonly how: Omit<Exchange, 'bytesMax'>
  readonly world: World
}

const bodyOf = ({ scope, resources }: Grant, given: Given, { fields }: Authentication): string => {
  const body = new URLSearchParams({ ...fields, ...given.fields })
  if (scope !== undefined) body.set('scope', scope)
  for (const resource of resources) body.append('resource', resource)
  return body.toString()
}

const wrong = (why: string): TokenUnavailable =>
  new TokenUnavailable(`the token endpoint does not answer as one should: ${why}`)

const typeOf = (given: unknown, wanted: TokenType): TokenType => {
  const isWanted = typeof given === 'string' && given.toLowerCase() === wanted.toLowerCase()
  // RFC 9449 §5: a token that is not bound is no answer to a request with a proof.
  if (!isWanted) throw wrong(`its token is not of the type ${wanted}`)
  return wanted
}

const lifetimeOf = (given: unknown): number => {
  if (typeof given === 'number' && Number.isFinite(given) && given > 0) return Math.min(given, LIFETIME_SECONDS_MAX)
  throw wrong('expires_in is not a positive number')
}

const refusalOf = ({ status, headers, bytes }: Answer, secrets: readonly string[], world: World): Error => {
  const retryAfter = retryAfterOf(headers, world.wallMs())
  const { error, error_description: description } = parseObject(bytes) ?? {}
  const code = typeof error === 'string' ? harmless(error, secrets) : ''
  const reason = `the token endpoint answers ${status}${code === '' ? '' : ` ${code}`}`
  if (status === 429 || status >= 500) return new TokenUnavailable(reason, retryAfter)
  if (code === '' || status < 400) return wrong(`status ${status}, and no error of OAuth`)
  return new TokenRefused(code, typeof description === 'string' ? harmless(description, secrets) : undefined, status)
}

const needsNonce = ({ status, bytes }: Answer): boolean =>
  (status === 400 || status === 401) && parseObject(bytes)?.['error'] === 'use_dpop_nonce'

const sendOnce = async (request: TokenRequest, endpoint: Endpoint, kept?: Given) => {
  const { grant, clientId, credential, prover, how, world } = request
  const nowMs = world.wallMs()
  const authentication = await authenticate(credential, { clientId, audience: endpoint.audience, nowMs })
  // Last, so that no assertion is fetched for a request that cannot be made.
  const given = kept ?? (await grant.read())
  const proof = prover === undefined ? {} : { dpop: await prover.prove({ method: 'POST', url: endpoint.url }, nowMs) }
  const sentAt = markNow(world)
  const init = {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...authentication.headers,
      ...proof,
    },
    body: bodyOf(grant, given, authentication),
  }
  const answer = await exchange(endpoint.url, init, { ...how, bytesMax: ANSWER_BYTES_MAX })
  const isNewNonce = prover?.learn(endpoint.url, answer.headers) ?? false
  return { answer, sentAt, isNewNonce, given, secrets: [...authentication.secrets, given.secret] }
}

const send = async (request: TokenRequest) => {
  const endpoint = await request.findEndpoint()
  const first = await sendOnce(request, endpoint)
  // RFC 9449 §8: once more with the nonce that it brought.
  return first.isNewNonce && needsNonce(first.answer) ? sendOnce(request, endpoint, first.given) : first
}

/** What prevented the request, as an error for the caller. */
const unavailable = (fault: unknown): unknown => {
  if (fault instanceof ExchangeFault || fault instanceof FileFault) return new TokenUnavailable(fault.message)
  return fault
}

const obtain = async (request: TokenRequest): Promise<Obtained> => {
  const { answer, sentAt, secrets } = await send(request)
  if (!isSuccess(answer.status)) throw refusalOf(answer, secrets, request.world)
  const { access_token: value, token_type, expires_in, scope } = parseObject(answer.bytes) ?? {}
  if (!isTokenText(value)) throw wrong('it holds no access token')
  const type = typeOf(token_type, request.prover === undefined ? 'Bearer' : 'DPoP')
  const lifetimeMs = lifetimeOf(expires_in) * 1000
  const expiresAt = new Date(sentAt.wallMs + lifetimeMs)
  const token = new AccessToken({ value, type, scope: typeof scope === 'string' ? scope : undefined, expiresAt })
  return { token, lifetimeMs, sentAt }
}

/** Throws TokenRefused or TokenUnavailable, a TypeError where the caller's own key cannot be used, or what the caller's function throws. */
export const requestToken = async (request: TokenRequest): Promise<Obtained> => {
  try {
    return await obtain(request)
  } catch (fault) {
    throw unavailable(fault)
  }
}
