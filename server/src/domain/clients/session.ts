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
}

const MINUTE_MS = 60_000

/** The longest life of a session, however much it is used. */
export const SESSION_MS_MAX = 43_200_000
/** The longest time without a request before a session ends. */
export const SESSION_IDLE_MS_MAX = 3_600_000
/** How long before its JWT expires a session is renewed. */
const RENEWED_BEFORE_MS = MINUTE_MS

export const hasSessionEnded = ({ createdAt, usedAt }: Session, now: Milliseconds): boolean =>
  now >= createdAt + SESSION_MS_MAX || now >= usedAt + SESSION_IDLE_MS_MAX

export const isRenewalDue = ({ expiresAt }: Session, now: Milliseconds): boolean => now >= expiresAt - RENEWED_BEFORE_MS

/** The JSON of a session, as the API returns it. */
export const sessionRecord = ({ id, iss, sub, name, createdAt, usedAt }: Session) => ({
  id,
  operator: { iss, sub, name },
  created_at: formatTime(createdAt),
  used_at: formatTime(usedAt),
  expires_at: formatTime(Math.min(createdAt + SESSION_MS_MAX, usedAt + SESSION_IDLE_MS_MAX)),
})
