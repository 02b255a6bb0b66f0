// Requests to resource servers with the token in them: renewed once where one is refused, with a proof where it is bound.
import { discard, type Fetch } from '../wire/exchange.ts'
import { isProtected } from '../wire/web-address.ts'
import type { AccessToken } from './access-token.ts'
import type { Prover } from './dpop.ts'
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

type Sending = {
  readonly url: string
  readonly method: string
  readonly signal: AbortSignal | undefined
  readonly headers: () => Headers
  /** Whether the body can be sent again. */
  readonly isRepeatable: boolean
}

const REPEATABLE = [URLSearchParams, FormData, Blob, ArrayBuffer]

const isRepeatable = (body: unknown): boolean =>
  body === undefined ||
  body === null ||
  typeof body === 'string' ||
  ArrayBuffer.isView(body) ||
  REPEATABLE.some(kind => body instanceof kind)

const describe = (input: string | URL | Request, init: RequestInit): Sending => {
  const isAddress = typeof input === 'string' || input instanceof URL
  const request = isAddress ? undefined : input
  return {
    url: isAddress ? String(input) : input.url,
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    signal: init.signal ?? request?.signal,
    headers: () => new Headers(init.headers ?? request?.headers),
    // The body of a request is a stream, which is there once.
    isRepeatable: isRepeatable(init.body) && (init.body !== undefined || (request?.body ?? null) === null),
  }
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

  return async (input, init = {}) => {
    const sending = describe(input, init)
    const { url, method, signal } = sending
    checkTarget(url, options.isInsecureAllowed)

    const sendOnce = async (token: AccessToken) => {
      const headers = sending.headers()
      headers.set('authorization', token.authorization)
      if (prover !== undefined) {
        headers.set('dpop', await prover.prove({ method, url, token: token.value }, world.wallMs()))
      }
      const response = await options.fetch(input, { ...init, headers })
      const isNewNonce = !response.redirected && (prover?.learn(url, response.headers) ?? false)
      return { response, wantsNonce: isNewNonce && response.status === 401 && needsNonce(response) }
    }

    const send = async (token: AccessToken): Promise<Response> => {
      const { response, wantsNonce } = await sendOnce(token)
      if (!wantsNonce || !sending.isRepeatable) return response
      discard(response)
      return (await sendOnce(token)).response
    }

    const token = await cache.get(signal ?? undefined)
    const response = await send(token)
    if (response.status !== 401) return response
    // Where another request has replaced it by now, the new one costs nothing.
    if (cache.isCurrent(token.value)) {
      if (!mayRenew()) return response
      cache.drop(token.value)
    }
    if (!sending.isRepeatable) return response
    discard(response)
    return send(await cache.get(signal ?? undefined))
  }
}
