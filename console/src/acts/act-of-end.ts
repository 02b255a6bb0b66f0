// Where the audit log has the act that ended a token: at the instant of the end.
import { addressOf } from '../address.ts'

/** Returns undefined if only time ended it: an expiry is no act. */
export const auditOfEnd = (endedAt: string | null, reason: string | null): string | undefined =>
  endedAt === null || reason === 'expired' ? undefined : auditAt(endedAt)

/** Everything that was done to it. */
export const auditOf = (subject: string): string => addressOf('audit', new URLSearchParams({ subject }))

/** The first instant after it: times have milliseconds. */
const after = (at: string): string => new Date(Date.parse(at) + 1).toISOString()

/** The entries from one instant to another, both included. */
export const auditWithin = (since: string, until: string): string =>
  addressOf('audit', new URLSearchParams({ since, before: after(until) }))

/** The entries of one instant. */
export const auditAt = (at: string): string => auditWithin(at, at)

/** The filters of the history for what ended from one instant to another, also with its ancestors: those end at the instant of the act. */
export const historyWithin = (since: string, until = since): Readonly<Record<string, string>> => ({
  ended_after: since,
  ended_before: after(until),
})
