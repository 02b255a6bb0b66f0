// The path of a request, however its target spells it: whole (RFC 9112 §3.2.2), or percent-encoded where it need not be.
import type { FastifyRequest } from 'fastify'

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
