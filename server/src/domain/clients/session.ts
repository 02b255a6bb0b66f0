// The session of an operator who signed in to the console: docs/decisions/0080-console.md.
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'

export type Session = {
  readonly id: string
  readonly iss: string
  readonly sub: string
  /** The operator's name as the provider states it; null if it states none. */
  readonly name: string | null
  readonly createdAt: Milliseconds
  /** The time of the last request, to the minute. */
  readonly usedAt: Milliseconds
  /** When the JWT in it expires. */
  readonly expiresAt: Milliseconds
}

/** What the provider gave: secrets, which only the service sees. */
export type SessionTokens = {
  /** The operator's JWT for this service. */
  readonly jwt: string
  /** Null if the provider issues none: then the session ends with the JWT. */
  readonly refreshToken: string | null
  /** The expiry that the JWT states; 0 where it states none. */
  readonly expiresAt: Milliseconds
  /** From when on it is renewed. */
  readonly renewFrom: Milliseconds
}

const MINUTE_MS = 60_000

/** How long a sign-in that has begun may take. */
export const SIGN_IN_MS_MAX = 600_000
/** The longest life of a session, however much it is used. */
export const SESSION_MS_MAX = 43_200_000
/** The longest time without a request before a session ends. */
export const SESSION_IDLE_MS_MAX = 3_600_000
/** How long before its JWT expires a session is renewed, at most. */
export const RENEWED_BEFORE_MS = MINUTE_MS
/** The same as a share of the time that the JWT had left when the provider issued it: one that lives a minute is not due at once. */
const RENEWED_BEFORE_SHARE = 1 / 4
/**
 * How long after a renewal that failed the next one of its session begins while the JWT lasts; once it has expired each request may
 * try. As long no session of a thread is renewed after the provider refused the client of the console.
 */
export const RENEWAL_PAUSE_MS = 15_000

export const hasSessionEnded = ({ createdAt, usedAt }: Session, now: Milliseconds): boolean =>
  now >= createdAt + SESSION_MS_MAX || now >= usedAt + SESSION_IDLE_MS_MAX

/** When a JWT is renewed that was issued `now`. */
export const renewFrom = (expiresAt: Milliseconds, now: Milliseconds): Milliseconds =>
  Math.ceil(expiresAt - Math.min(RENEWED_BEFORE_MS, RENEWED_BEFORE_SHARE * Math.max(0, expiresAt - now)))

/** When a renewal that began at `now` and failed may be tried again. */
export const renewAgainAt = ({ expiresAt }: Session, now: Milliseconds): Milliseconds =>
  Math.min(expiresAt, now + RENEWAL_PAUSE_MS)

/** The JSON of a session, as the API returns it. */
export const sessionRecord = ({ id, iss, sub, name, createdAt, usedAt }: Session) => ({
  id,
  operator: { iss, sub, name },
  created_at: formatTime(createdAt),
  used_at: formatTime(usedAt),
  expires_at: formatTime(Math.min(createdAt + SESSION_MS_MAX, usedAt + SESSION_IDLE_MS_MAX)),
})
