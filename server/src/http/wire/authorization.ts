// Reads the Authorization header (RFC 9110 §11.6.2) and the credentials in it, and headers that hold one value; remembers which
// credentials were good lately.
import { Buffer, isUtf8 } from 'node:buffer'
import { decodeFormValue } from '../../../../packages/verify/src/readers/form.ts'
import type { FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { hash } from 'node:crypto'

export type Authorization = {
  /** The scheme in lower case: scheme names are case-insensitive. */
  readonly scheme: string
  /** What follows the scheme; empty where nothing does. */
  readonly credentials: string
}

/** An empty header counts as none. A header of no known form is one of an unknown scheme. */
export const parseAuthorization = (header: string | undefined): Authorization | undefined => {
  if (header === undefined || header === '') return undefined
  const space = header.indexOf(' ')
  if (space === -1) return { scheme: header.toLowerCase(), credentials: '' }
  return { scheme: header.slice(0, space).toLowerCase(), credentials: header.slice(space + 1).trim() }
}

type BasicCredentials = {
  readonly user: string
  readonly password: string
  /** The password as it was sent, where that is another text. */
  readonly rawPassword?: string
}

/**
 * The user and password of HTTP Basic, each form-decoded (RFC 6749 §2.3.1); undefined where any step fails:
 * canonical base64, UTF-8, a colon, percent-encoding of the user. A password that cannot be decoded was not encoded.
 */
export const decodeBasic = (credentials: string): BasicCredentials | undefined => {
  const bytes = Buffer.from(credentials, 'base64')
  if (bytes.toString('base64') !== credentials || !isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) return undefined
  const user = decodeFormValue(text.slice(0, colon))
  const raw = text.slice(colon + 1)
  const password = decodeFormValue(raw) ?? raw
  return user === undefined ? undefined : { user, password, ...(raw !== password && { rawPassword: raw }) }
}

/** A header that has one value. An empty one counts as none. */
export const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

// The credentials in headers that authenticated a request lately. A caller that sends one again is served before callers of whom
// nothing is known yet; whether it is still good is decided by its request, as always.

/** How many credentials one thread remembers. */
const KNOWN_MAX = 4096

/** While nobody waits, one of so many uses is noted: to hash each would cost an introspection 3 % more. */
const REMEMBERED_EVERY = 16

export type KnownCredentials = {
  readonly has: (headers: IncomingHttpHeaders) => boolean
  /** Like `has` while requests wait; else false, and nothing is hashed. */
  readonly isFirst: (headers: IncomingHttpHeaders) => boolean
  /** Called after a request that was authenticated. */
  readonly add: (headers: IncomingHttpHeaders) => void
  /** Called after a request whose credential was refused. */
  readonly remove: (headers: IncomingHttpHeaders) => void
}

/** Hashed: a credential is a secret, and is not kept. */
const keyOf = ({ authorization, cookie, 'x-api-key': apiKey }: IncomingHttpHeaders): string | undefined => {
  const text = typeof apiKey === 'string' ? apiKey : (authorization ?? cookie)
  return text === undefined ? undefined : hash('sha256', text, 'base64')
}

/** `isBusy`: whether requests wait, so that it matters now who is known. */
export const makeKnownCredentials = (isBusy: () => boolean): KnownCredentials => {
  const known = new Set<string>()
  let uses = 0
  const has = (headers: IncomingHttpHeaders): boolean => {
    const key = known.size === 0 ? undefined : keyOf(headers)
    return key !== undefined && known.has(key)
  }
  return {
    has,
    isFirst: headers => isBusy() && has(headers),
    add: headers => {
      uses += 1
      if (uses % REMEMBERED_EVERY !== 1 && !isBusy()) return
      const key = keyOf(headers)
      if (key === undefined || known.has(key)) return
      const [oldest] = known
      if (known.size >= KNOWN_MAX && oldest !== undefined) known.delete(oldest)
      known.add(key)
    },
    remove: headers => {
      const key = known.size === 0 ? undefined : keyOf(headers)
      if (key !== undefined) known.delete(key)
    },
  }
}
