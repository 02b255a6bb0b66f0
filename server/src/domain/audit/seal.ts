// Seals of the audit log: what one says of itself, and what a check of the whole chain finds.

/** What of a seal may be known to everybody, and is logged: of the chain it names all entries up to its last. */
export type Seal = {
  readonly number: number
  /** Entries that it covers. */
  readonly count: number
  /** The SHA-256 chain over every entry up to its last: 64 characters of lower-case hex. */
  readonly head: string
}

/** What somebody wrote down of the chain, from the log of the service; null asks nothing. */
export type KnownSeal = { readonly number: number | null; readonly head: string | null }

/**
 * What was done to the first entry that is not as it was sealed. `cut_off`: it and all after it are gone. `unsealed`:
 * its seal is gone, or is not one that the service made.
 */
export type Tampering = 'changed' | 'removed' | 'added' | 'cut_off' | 'unsealed'

export type AuditVerdict =
  | {
      readonly good: true
      readonly entries: number
      readonly seals: number
      /** The last one; null where there is none yet. */
      readonly last: Seal | null
      /** Entries after the last seal. */
      readonly unsealed: number
    }
  | { readonly good: false; readonly entry: number; readonly tampering: Tampering; readonly because: string }
