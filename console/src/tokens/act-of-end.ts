// Where the audit log has the act that ended a token: at the instant of the end.
import { addressOf } from '../address.ts'

/** Returns undefined if only time ended it: an expiry is no act. */
export const auditOfEnd = (endedAt: string | null, reason: string | null): string | undefined => {
  if (endedAt === null || reason === 'expired') return undefined
  const after = new Date(Date.parse(endedAt) + 1).toISOString()
  return addressOf('audit', new URLSearchParams({ since: endedAt, before: after }))
}
