// Why a token ended. The names are public; the numbers are what the ledger stores and never change.

export const REASONS = {
  expired: 0,
  manual_revocation: 1,
  bulk_revocation: 2,
  self_revocation: 3,
  agent_disabled: 4,
  agent_deleted: 5,
  credential_revoked: 6,
  secret_leaked: 7,
  key_compromise: 8,
  scope_removed: 9,
  audience_removed: 10,
  superseded: 11,
  undelivered: 12,
  restored: 13,
} as const

export type Reason = keyof typeof REASONS

/** A reason that an act gives; `expired` is computed from the clock and never written. */
export type EndingReason = Exclude<Reason, 'expired'>

const names = new Map(Object.entries(REASONS).map(([name, code]) => [code as number, name as Reason]))

export const isReason = (text: string): text is Reason => Object.hasOwn(REASONS, text)

/** The name of a stored number; a number that no version of Mintmark wrote is a fault. */
export const reasonOf = (code: number): Reason => {
  const name = names.get(code)
  if (name === undefined) throw new Error(`The ledger holds the unknown termination reason ${code}.`)
  return name
}
