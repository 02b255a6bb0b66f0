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
  ancestor_ended: 14,
  actor_removed: 15,
  issuer_disabled: 16,
  issuer_deleted: 17,
  subject_blocked: 18,
  agent_expired: 19,
} as const

export type Reason = keyof typeof REASONS

/** A reason that an act gives; `expired` is computed from the clock and never written. */
export type EndingReason = Exclude<Reason, 'expired'>

/** Reasons that an operator may give; the first is the default. The other reasons are of what the service did itself. */
export const TOKEN_REVOCATION_REASONS = ['manual_revocation', 'secret_leaked', 'key_compromise'] as const
export const BULK_REVOCATION_REASONS = ['bulk_revocation', 'secret_leaked', 'key_compromise'] as const

const names = new Map(Object.entries(REASONS).map(([name, code]) => [code as number, name as Reason]))

/** The form of a list of reasons. The set of names is open. */
export const REASON_LIST_PATTERN = '^[a-z][a-z0-9_]{0,63}(,[a-z][a-z0-9_]{0,63}){0,31}$'
const REASON_LIST = new RegExp(REASON_LIST_PATTERN)

const isReason = (text: string): text is Reason => Object.hasOwn(REASONS, text)

/** `unknown`: names that this version does not know, which match nothing. */
export type ReasonList = { readonly known: readonly Reason[]; readonly unknown: readonly string[] }

/** A comma list of reasons, each once; undefined where the text is none. */
export const parseReasonList = (text: string): ReasonList | undefined => {
  if (!REASON_LIST.test(text)) return undefined
  const asked = [...new Set(text.split(','))].toSorted()
  return { known: asked.filter(isReason), unknown: asked.filter(name => !isReason(name)) }
}

/** The name of a stored number; a number that no version of Mintmark wrote is a fault. */
export const reasonOf = (code: number): Reason => {
  const name = names.get(code)
  if (name === undefined) throw new Error(`The ledger holds the unknown termination reason ${code}.`)
  return name
}
