// The cookies of the console. `__Host-`: a browser takes them from this host alone, over TLS (or on this machine), for every path.
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const SESSION_COOKIE = '__Host-mintmark-session'
export const SIGN_IN_COOKIE = '__Host-mintmark-sign-in'

/** A longer header is ignored. */
const COOKIES_CHARACTERS_MAX = 8192

export const cookieOf = (request: FastifyRequest, name: string): string | undefined => {
  const { cookie } = request.headers
  if (cookie === undefined || cookie.length > COOKIES_CHARACTERS_MAX) return undefined
  return parseCookie(cookie)[name]
}

type Cookie = {
  readonly name: string
  readonly value: string
  readonly sameSite: 'lax' | 'strict'
  readonly maxAge: number
}

const ATTRIBUTES = { httpOnly: true, secure: true, path: '/' } as const

export const setCookie = (reply: FastifyReply, cookie: Cookie): FastifyReply =>
  reply.header('set-cookie', stringifySetCookie({ ...ATTRIBUTES, ...cookie }))

export const dropCookie = (reply: FastifyReply, name: string): FastifyReply =>
  setCookie(reply, { name, value: '', sameSite: 'strict', maxAge: 0 })

/**
 * Whether the page that asks is ours. Every browser of today says so (Fetch Metadata); one that does not names the origin of
 * the page in every request but a plain GET.
 */
export const isOwnPage = ({ headers }: FastifyRequest, ownOrigin: string): boolean => {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === ownOrigin : site === 'same-origin'
}
