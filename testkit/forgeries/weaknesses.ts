// The known ways to get a forged or reshaped JWT past a verifier (RFC 8725 §2), as one table. Each place that takes a
// JWT is tried with all of it: a text of this table is never taken, and nothing in it makes anybody call an address.
import type { Forgeries, Forge } from './forgeries.ts'
import { CLAIM_WEAKNESSES } from './weak-claims.ts'
import { HEADER_WEAKNESSES } from './weak-headers.ts'
import { signatureNumbersOf } from './weak-signatures.ts'
import { SIGNATURE_SPELLINGS, TEXT_WEAKNESSES } from './weak-texts.ts'

export type Weakness = {
  readonly name: string
  readonly forge: Forge
  /**
   * What is other than in the genuine JWT, where a place distinguishes that. `signature spelling`: the same bits, spelled
   * otherwise. `claims`: they alone, and the genuine key signed them.
   */
  readonly of: 'signature spelling' | 'claims' | 'anything else'
}

const rows = (of: Weakness['of'], group: Forgeries): readonly Weakness[] =>
  Object.entries(group).map(([name, forge]) => ({ name, forge, of }))

/** The algorithms that forgeries are made for. */
export type ForgedAlgorithm = 'ES256' | 'RS256'

/** The table for a genuine JWT that is signed by this algorithm. */
export const weaknessesOf = (alg: ForgedAlgorithm): readonly Weakness[] => [
  ...rows('anything else', HEADER_WEAKNESSES),
  ...rows('anything else', TEXT_WEAKNESSES),
  ...rows('anything else', signatureNumbersOf(alg)),
  ...rows('signature spelling', SIGNATURE_SPELLINGS),
  ...rows('claims', CLAIM_WEAKNESSES),
]
