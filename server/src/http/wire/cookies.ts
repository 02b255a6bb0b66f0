// The cookies of the console. `__Host-`: a browser takes them from this host alone, over TLS (or on this machine), for every path.
import { hash } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RefusedInput } from './refused-input.ts'

/** A longer header is refused: whether a session is in it is not known. */
const COOKIES_CHARACTERS_MAX = 8192

const SUFFIX_CHARACTERS = 8

export type CookieNames = {
  readonly session: string
  /** The digest of the session's secret. It is sent also with a callback, which comes from the page of the provider. */
  readonly lastSession: string
  /** What the name of the cookie of a sign-in begins with; its `state` follows. */
  readonly signIn: string
}

/** A cookie knows no port, and `__Host-` no path: by their names the cookies of two installations on one host are distinct. */
export const cookieNamesOf = (baseUrl: string): CookieNames => {
  const suffix = hash('sha256', baseUrl, 'hex').slice(0, SUFFIX_CHARACTERS)
  return {
    session: `__Host-mintmark-session-${suffix}`,
    lastSession: `__Host-mintmark-last-session-${suffix}`,
    signIn: `__Host-mintmark-sign-in-${suffix}-`,
  }
}

type Cookies = Readonly<Record<string, string | undefined>>

/** In the order of the header: the oldest first (RFC 6265 §5.4). Throws RefusedInput where there are more than are read. */
const cookiesIn = ({ headers: { cookie = '' } }: FastifyRequest): Cookies => {
  if (cookie.length <= COOKIES_CHARACTERS_MAX) return parseCookie(cookie)
  throw new RefusedInput(
    `The Cookie header has ${cookie.length} characters; this service reads at most ${COOKIES_CHARACTERS_MAX}. Delete the cookies of this host in the browser, and sign in again.`,
    'header_fields_too_large',
  )
}

export const cookieOf = (request: FastifyRequest, name: string): string | undefined => cookiesIn(request)[name]

/** The names that begin so, the oldest first. */
export const cookiesFrom = (request: FastifyRequest, prefix: string): readonly string[] =>
  Object.keys(cookiesIn(request)).filter(name => name.startsWith(prefix))

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
