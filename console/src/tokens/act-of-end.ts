// Where the audit log has the act that ended a token: at the instant of the end.
import { addressOf } from '../address.ts'

/** Returns undefined if only time ended it: an expiry is no act. */
export const auditOfEnd = (endedAt: string | null, reason: string | null): string | undefined =>
  endedAt === null || reason === 'expired' ? undefined : auditAt(endedAt)

/** Everything that was done to it. */
export const auditOf = (subject: string): string => addressOf('audit', new URLSearchParams({ subject }))

/** The entries of one instant. */
export const auditAt = (at: string): string => {
  const after = new Date(Date.parse(at) + 1).toISOString()
  return addressOf('audit', new URLSearchParams({ since: at, before: after }))
}

/** The entries from that instant on. */
export const auditSince = (at: string): string => addressOf('audit', new URLSearchParams({ since: at }))
