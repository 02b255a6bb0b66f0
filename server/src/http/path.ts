// The path of a request, however its target spells it: whole (RFC 9112 §3.2.2), or percent-encoded where it need not be.
import type { FastifyRequest } from 'fastify'

// What nearly every request has.
const PLAIN = /^\/[^?%]*$/

const decode = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The path alone, without what follows a question mark. */
export const pathOf = ({ url }: FastifyRequest): string => {
  if (PLAIN.test(url)) return url
  return decode(url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '')
}

/** Gives a parameter of the path, as it is written there. */
export type PathParameter = (name: string) => string

export const pathParameterOf = ({ params }: FastifyRequest): PathParameter => {
  const written = params as Readonly<Record<string, string | undefined>> // Fastify's router made it
  return name => written[name] ?? ''
}
