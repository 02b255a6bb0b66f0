// In this folder: `mintmark-verify serve`: settings, HTTP server, answers to gateways. @mintmark/verify decides on the token.
// What a decision is on the wire. No answer to a check has a body: gateways pass bodies on to callers.
import type { MetadataResponse } from '../../verify/src/adapters/protected-resource.ts'
import type { Refused } from '../../verify/src/refusals.ts'
import type { Verified } from '../../verify/src/verifier.ts'

export type Answer = {
  readonly status: number
  /** Names and values by turns, as Node writes them without looking at each. */
  readonly headers: string[]
  readonly body?: string
}

type Headers = Readonly<Record<string, string>>

export const emptyAnswer = (status: number, headers: Headers = {}): Answer => ({
  status,
  headers: Object.entries({ 'Cache-Control': 'no-store', 'Content-Length': '0', ...headers }).flat(),
})

const answerWith = (body: string, headers: Headers): Answer => {
  const length = String(new TextEncoder().encode(body).length)
  return { status: 200, headers: Object.entries({ ...headers, 'Content-Length': length }).flat(), body }
}

export const textAnswer = (body: string, contentType: string): Answer =>
  answerWith(body, { 'Cache-Control': 'no-store', 'Content-Type': contentType })

/** RFC 9110 §8.6: 204 has no Content-Length. */
export const metadataAnswer = ({ status, headers, body }: MetadataResponse): Answer =>
  body === undefined ? { status, headers: Object.entries(headers).flat() } : answerWith(body, headers)

/** UTF-8, percent-encoded but for letters, digits and `-._~!*'():/@`: the others could end a header, a quotation or an item. */
const encode = (text: string): string => encodeURIComponent(text).replaceAll(/%(?:3A|2F|40)/g, decodeURIComponent)

/**
 * All four headers stand in each acceptance, empty where the token has nothing to say, so that a gateway which copies them
 * overwrites what its caller sent.
 */
const acceptance = ({ claims, scopes }: Verified): Answer =>
  emptyAnswer(200, {
    'X-Auth-Subject': encode(claims.sub),
    'X-Auth-Client': encode(claims.client_id),
    'X-Auth-Scope': scopes.map(encode).join(' '),
    'X-Auth-Actor': claims.act === undefined ? '' : encode(claims.act.sub),
  })

/** Half of a surrogate pair has no UTF-8, and so no header. */
const isEncodable = ({ claims: { sub, client_id: client, act } }: Verified): boolean =>
  [sub, client, act?.sub ?? ''].every(text => text.isWellFormed())

const NOT_ENCODABLE = emptyAnswer(401, { 'WWW-Authenticate': 'Bearer error="invalid_token"' })

/** Answers to verified tokens, kept: a verifier hands out one object for all requests with a token. */
export const makeAcceptances = () => {
  const known = new WeakMap<Verified, Answer>()
  return (verified: Verified): Answer => {
    const before = known.get(verified)
    if (before !== undefined) return before
    const answer = isEncodable(verified) ? acceptance(verified) : NOT_ENCODABLE
    known.set(verified, answer)
    return answer
  }
}

/** Gateways know 401 and 403 as refusals, and 400 as a fault of the check: nginx would answer 500. */
export const refusalAnswer = ({ status, challenge, retryAfter }: Refused): Answer =>
  emptyAnswer(status === 400 ? 401 : status, {
    // A gateway that passes on the whole answer lets a page of another origin read the challenge, as the adapters do.
    ...(challenge !== undefined && {
      'WWW-Authenticate': challenge,
      'Access-Control-Expose-Headers': 'WWW-Authenticate',
    }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  })

/** The answer to a query that asks for what there is not: no gateway lets pass what is answered so. */
export const BAD_QUERY = emptyAnswer(500)
/** The answer to a fault of this process. */
export const FAULT = emptyAnswer(503, { 'Retry-After': '1' })
export const NOT_FOUND = emptyAnswer(404)
