// Seals of the audit log: their public part, and the result of verifying the whole chain.

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

/**
 * What happened to the first entry that differs from its seal. `cut_off`: it and all later ones are gone. `unsealed`:
 * its seal is gone, or the service did not make it.
 */
export type Tampering = 'changed' | 'removed' | 'added' | 'cut_off' | 'unsealed'

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
