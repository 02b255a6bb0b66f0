// Requests to resource servers with the token in them: renewed once where one is refused, with a proof for each address where it
// is bound.
import { isProtected } from '../../../verify/src/readers/web-address.ts'
import { discard } from '../../../verify/src/wire/exchange.ts'
import type { Fetch } from '../wire/answer.ts'
import type { AccessToken } from './access-token.ts'
import type { Prover } from './dpop.ts'
import { describe, originOf, redirectedBy, type Sending } from './sending.ts'
import type { TokenCache, World } from './token-cache.ts'

/** A server that refuses every token costs no more than one new token in so long. */
const RENEWAL_MS_MIN = 10_000

export type ResourceFetchOptions = {
  readonly cache: TokenCache
  readonly prover: Prover | undefined
  readonly fetch: Fetch
  readonly world: World
  readonly isInsecureAllowed: boolean
}

const checkTarget = (url: string, isInsecureAllowed: boolean): void => {
  if (!URL.canParse(url)) throw new TypeError('A token is sent to an absolute URL only.')
  if (isInsecureAllowed || isProtected(new URL(url))) return
  throw new TypeError(
    `A token is not sent to ${new URL(url).origin}, which is not of https. Use https, or set allowInsecureRequests.`,
  )
}

/** RFC 9449 §9. */
const needsNonce = ({ headers }: Response): boolean => /\buse_dpop_nonce\b/.test(headers.get('www-authenticate') ?? '')

export const makeResourceFetch = (options: ResourceFetchOptions): Fetch => {
  const { cache, prover, world } = options
  let renewedAtMs = Number.NEGATIVE_INFINITY

  const mayRenew = (): boolean => {
    const now = world.monotonicMs()
    if (now - renewedAtMs < RENEWAL_MS_MIN) return false
    renewedAtMs = now
    return true
  }

  const sendOnce = async (sending: Sending, token: AccessToken) => {
    const { url, method } = sending
    const headers = new Headers(sending.headers)
    headers.set('authorization', token.authorization)
    if (prover !== undefined) {
      headers.set('dpop', await prover.prove({ method, url, token: token.value }, world.wallMs()))
    }
    const response = await options.fetch(sending.input, { ...sending.init, headers })
    const isNewNonce = !response.redirected && (prover?.learn(url, response.headers) ?? false)
    return { response, wantsNonce: isNewNonce && response.status === 401 && needsNonce(response) }
  }

  const send = async (sending: Sending, token: AccessToken): Promise<Response> => {
    const { response, wantsNonce } = await sendOnce(sending, token)
    if (!wantsNonce || !sending.isRepeatable) return response
    discard(response)
    return (await sendOnce(sending, token)).response
  }

  const sendRenewing = async (sending: Sending): Promise<Response> => {
    const { input, init, url, headers, signal, isRepeatable, carriesToken } = sending
    if (!carriesToken) return options.fetch(input, { ...init, headers })
    const token = await cache.get(signal)
    const response = await send(sending, token)
    // One of another origin, to which `fetch` followed a redirect, was sent no token and says nothing of it.
    const isElsewhere = response.redirected && originOf(response.url) !== originOf(url)
    if (response.status !== 401 || isElsewhere) return response
    // Where another request has replaced it by now, the new one costs nothing.
    if (cache.isCurrent(token.value)) {
      if (!mayRenew()) return response
      cache.drop(token.value)
    }
    if (!isRepeatable) return response
    discard(response)
    return send(sending, await cache.get(signal))
  }

  return async (input: string | URL | Request, init?: RequestInit | null) => {
    let sending = describe(input, init ?? {}, prover !== undefined)
    checkTarget(sending.url, options.isInsecureAllowed)
    for (;;) {
      const response = await sendRenewing(sending)
      const next = redirectedBy(response, sending)
      if (next === undefined) return response
      sending = next
    }
  }
}
