// Requests of Node as far as adapters need them: no types of Node, and none of a framework.
import { makeFindRepeated } from '../readers/form.ts'
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'
import { certificateFor, type Guard, scopesFor } from './guard.ts'
import { addressOf } from './request-address.ts'

export type NodeRequest = {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The target before routers of Express shortened it. */
  readonly originalUrl?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Each line of a header, as names and values by turns. */
  readonly rawHeaders?: readonly string[] | undefined
  /** Node's own request, where a framework has one of its own. */
  readonly raw?: { readonly rawHeaders?: readonly string[] | undefined } | undefined
  readonly socket?: object | undefined
}

const headerOf = ({ headers }: NodeRequest, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

const findRepeated = makeFindRepeated(['authorization', 'dpop'])

/** Whether a header with credentials comes twice: Node keeps the first `Authorization`, and later code may read the second. */
const isRepeated = ({ raw, rawHeaders = raw?.rawHeaders }: NodeRequest): boolean =>
  // A middleware may have added to `headers`, so that their number says nothing of the lines.
  rawHeaders !== undefined && findRepeated({ rawHeaders, headers: {} }) !== undefined

/** A scheme without a token: the verifier refuses it as invalid_request, and its hooks learn of it. */
const NOT_ONE_TOKEN = 'Bearer'

/** The origin that a request names (RFC 9112 §3.3). Over HTTP/2 its host stands in `:authority` (RFC 9113 §8.3.1). */
const ownOriginOf = (request: NodeRequest): string => {
  const { socket = {} } = request
  const isTls = 'encrypted' in socket && socket.encrypted === true
  return `${isTls ? 'https' : 'http'}://${headerOf(request, ':authority') ?? headerOf(request, 'host') ?? ''}`
}

export const targetOf = ({ originalUrl, url = '/' }: NodeRequest): string => originalUrl ?? url

/** Rejects where a function of the guard fails: the request then must not pass. */
export const verifyNodeRequest = async <Request extends NodeRequest>(
  verifier: Verifier,
  request: Request,
  guard: Guard<Request>,
): Promise<Verified | Refused> =>
  verifier.authorize({
    authorization: isRepeated(request) ? NOT_ONE_TOKEN : headerOf(request, 'authorization'),
    proof: headerOf(request, 'dpop'),
    method: request.method ?? 'GET',
    url: addressOf(verifier, guard, { target: targetOf(request), ownOrigin: ownOriginOf(request) }),
    certificate: await certificateFor(guard, request),
    scopes: await scopesFor(guard, request),
  })
