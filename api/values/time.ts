// Instants. Inside the program an instant is an integer of milliseconds since 1970; on the wire it is RFC 3339.

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type Milliseconds = number

/** Seconds since 1970-01-01T00:00:00Z, an integer: the NumericDate of JWT (RFC 7519 §2). */
export type Seconds = number

/** Milliseconds of a clock that only counts on, from any origin, the same in every thread. Deadlines are times of it. */
export type MonotonicMilliseconds = number

export const DAY_MS = 86_400_000

const RFC3339 =
  /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** The years that RFC 3339 can write: `expires_at` is answered in UTC. */
const FIRST_INSTANT = Date.UTC(-1, 12)
const LAST_INSTANT = Date.UTC(10_000, 0) - 1

/** The instant, or the nearest that can be written. */
export const nearestInstant = (instant: Milliseconds): Milliseconds =>
  Math.min(Math.max(instant, FIRST_INSTANT), LAST_INSTANT)

/** `2026-11-21T09:30:05.000Z`: always with milliseconds, so that sorting texts sorts times. */
export const formatTime = (instant: Milliseconds): string => new Date(instant).toISOString()

export const formatTimeOrNull = (instant: Milliseconds | null): string | null =>
  instant === null ? null : formatTime(instant)

/**
 * The instant that an RFC 3339 text names (§5.6; parts below a millisecond are dropped), or undefined. A leap second is
 * the second that follows it, as in POSIX time. A time whose year is not 0000 to 9999 in UTC is the nearest that is.
 */
export const parseTime = (text: string): Milliseconds | undefined => {
  if (!RFC3339.test(text) || !isRealDay(text)) return undefined
  const isLeap = text.slice(17, 19) === '60'
  const written = isLeap ? `${text.slice(0, 17)}59${text.slice(19)}` : text
  const instant = Date.parse(written.toUpperCase()) + (isLeap ? 1000 : 0)
  if (isLeap && !beginsMonth(instant)) return undefined
  return nearestInstant(instant)
}

// §5.7: leap seconds are the last of a month of UTC, whatever the offset.
const beginsMonth = (instant: Milliseconds): boolean => new Date(instant).toISOString().includes('-01T00:00:00.')

// Date.parse takes 30 February for 2 March in some engines: the day must come back as it was written.
const isRealDay = (text: string): boolean => {
  const day = text.slice(0, 10)
  const parsed = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(day)
}
