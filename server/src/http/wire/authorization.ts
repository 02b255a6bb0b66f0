// Reads the Authorization header (RFC 9110 §11.6.2) and the credentials in it, and headers that hold one value.
import { Buffer, isUtf8 } from 'node:buffer'
import { decodeFormValue } from '../../../../packages/verify/src/readers/form.ts'
import type { FastifyRequest } from 'fastify'

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
