// The cookies of sign-ins that began: one each, so that two tabs sign in side by side. Also that of the session before.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_MS_MAX, SIGN_IN_MS_MAX } from '../../domain/clients/session.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { SignInBegun } from '../../ports/sessions.ts'
import type { RawFields } from '../wire/fields.ts'
import { type CookieNames, cookieOf, cookiesFrom, dropCookie, setCookie } from '../wire/cookies.ts'

/** Sign-ins of one browser that began and are not complete. */
const SIGN_INS_OPEN_MAX = 4

/** As a sign-in makes it: no other text is a part of a cookie's name. */
const STATE = /^[\w-]{43}$/
const DIGEST = /^[0-9a-f]{64}$/

/** Sets the cookie of a sign-in, and drops the oldest ones where the browser has too many. */
export const setSignInCookie = (
  { signIn }: CookieNames,
  request: FastifyRequest,
  reply: FastifyReply,
  { state, pending }: SignInBegun,
): void => {
  const open = cookiesFrom(request, signIn).filter(name => STATE.test(name.slice(signIn.length)))
  for (const name of open.slice(0, Math.max(0, open.length + 1 - SIGN_INS_OPEN_MAX))) dropCookie(reply, name)
  setCookie(reply, { name: signIn + state, value: pending, sameSite: 'lax', maxAge: SIGN_IN_MS_MAX / 1000 })
}

/** The cookie of the sign-in that a callback names; undefined where the browser has none of it. */
export const signInCookieOf = (
  { signIn }: CookieNames,
  request: FastifyRequest,
): { readonly name: string; readonly pending: string } | undefined => {
  const query = request.query as RawFields // the parser of readers.ts made it
  const [state, ...others] = query.pairs?.flatMap(([name, value]) => (name === 'state' ? [value] : [])) ?? []
  if (state === undefined || others.length > 0 || !STATE.test(state)) return undefined
  const name = signIn + state
  const pending = cookieOf(request, name)
  return pending === undefined ? undefined : { name, pending }
}

type Made = { readonly secret: string; readonly secretHash: Sha256 }

/** The cookies of a session: one authenticates what our own page asks, the other one only names what the next sign-in ends. */
export const setSessionCookies = (names: CookieNames, reply: FastifyReply, { secret, secretHash }: Made): void => {
  const maxAge = SESSION_MS_MAX / 1000
  setCookie(reply, { name: names.session, value: secret, sameSite: 'strict', maxAge })
  setCookie(reply, { name: names.lastSession, value: secretHash, sameSite: 'lax', maxAge })
}

export const dropSessionCookies = (names: CookieNames, reply: FastifyReply): FastifyReply =>
  dropCookie(dropCookie(reply, names.session), names.lastSession)

/** The hash of the session that this browser had last; null where it had none. */
export const lastSessionOf = ({ lastSession }: CookieNames, request: FastifyRequest): Sha256 | null => {
  const digest = cookieOf(request, lastSession)
  return digest !== undefined && DIGEST.test(digest) ? digest : null
}
