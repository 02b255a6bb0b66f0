// Seals of the audit log: their public part, and the result of verifying the whole chain.
import type { Tampering } from '../../../../api/values/audit.ts'

/** The public part of a seal, which is logged: it identifies all entries up to its last. */
export type Seal = {
  readonly number: number
  /** The number of entries that it covers. */
  readonly count: number
  /** The SHA-256 chain over every entry up to its last: 64 characters of lower-case hex. */
  readonly head: string
}

/** A seal kept elsewhere, from the log of the service; null means no check. */
export type KnownSeal = { readonly number: number | null; readonly head: string | null }

export type AuditVerdict =
  | {
      readonly good: true
      readonly entries: number
      readonly seals: number
      /** The last one; null if there is none yet. */
      readonly last: Seal | null
      /** Entries after the last seal. */
      readonly unsealed: number
    }
  | { readonly good: false; readonly entry: number; readonly tampering: Tampering; readonly because: string }

/** The result of checking a part of the log. */
export type SealCheck = (
  | {
      readonly good: true
      /** The last seal that was checked, and the last entry that it covers; 0: none. */
      readonly seal: number
      readonly entry: number
      /** Entries after the last seal, as far as they are counted; null: more seals follow. */
      readonly unsealed: number | null
    }
  | Extract<AuditVerdict, { readonly good: false }>
) & {
  /** The last entry that the last seal covers; 0: none. */
  readonly sealedUpTo: number
}

/** The JSON of a check, as the API returns it. */
export const sealCheckRecord = (check: SealCheck) => {
  const { sealedUpTo: sealed_up_to } = check
  if (!check.good) {
    const { entry, tampering, because } = check
    return {
      state: 'broken',
      seal: null,
      entry: null,
      sealed_up_to,
      unsealed: null,
      broken: { entry, tampering, because },
    } as const
  }
  const { seal, entry, unsealed } = check
  return { state: unsealed === null ? 'more' : 'good', seal, entry, sealed_up_to, unsealed, broken: null } as const
}
