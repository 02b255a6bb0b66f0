// A row of the table of test vectors, and what its rows are made of: see vectors.ts.
import type { PROOF_ALGORITHMS } from '../../packages/verify/src/readers/proof-claims.ts'
import type { RefusalCode } from '../../packages/verify/src/refusals.ts'
import { CLAIMS } from '../feed/case.ts'
import { type ProofKey, signedText } from '../keys/dpop.ts'
import { type Forge, type Genuine, resigned, signedByAttacker } from './forgeries.ts'

/** A request whose scheme is DPoP. `proof` is the header `DPoP`: null where there is none. */
export type Dpop = { readonly method: string; readonly url: string; readonly proof: string | null }

/** What a verifier is asked beside the token, and one option of the verifier itself. */
export type AskedOf = {
  /** Scope items that the request needs. */
  readonly scopes?: readonly string[]
  readonly dpop?: Dpop
  /** The certificate of the TLS connection, in PEM. */
  readonly certificate?: string
  /** The same in DER, in base64. */
  readonly certificate_der?: string
  /** Spaces follow the certificate up to so many characters. */
  readonly filled_to?: number
  /** The algorithms that the verifier is set to accept; all where it is absent. */
  readonly algorithms?: readonly string[]
}

/** A later call of the same verifier. `token`: that of the row where it is absent. */
export type Step = { readonly token?: string; readonly dpop: Dpop; readonly refusal: RefusalCode | null }

export type TokenVector = AskedOf & {
  readonly name: string
  readonly token: string | null
  /** Null where the token is accepted. Absent in the table of forgeries: the verifier decides. */
  readonly refusal?: RefusalCode | null
  /** The refusal of the same call to the same verifier once more, if it is another. */
  readonly again?: RefusalCode
  readonly then?: readonly Step[]
}

/** The key that a token is bound to. */
export type Holder = ProofKey & { readonly jkt: string }

/** What rows are made from. */
export type Materials = {
  readonly genuine: Genuine
  /** By the algorithm of their proofs. */
  readonly holders: Readonly<Record<(typeof PROOF_ALGORITHMS)[number], Holder>>
  readonly other: Holder
}

/** Rows by their names, each with its refusal. */
export type RowTable = Readonly<Record<string, readonly [refusal: RefusalCode | null, forge: Forge, asked?: AskedOf]>>

export const rowsOf = (table: RowTable, genuine: Genuine): readonly TokenVector[] =>
  Object.entries(table).map(([name, [refusal, forge, asked]]) => ({ name, token: forge(genuine), ...asked, refusal }))

export type Members = Readonly<Record<string, unknown>>

/** A token in which some claims differ from the genuine one; undefined ones are left out. */
export const withClaims =
  (claims: Members): Forge =>
  genuine =>
    resigned(genuine, { claims })

export const withHeader =
  (header: Members): Forge =>
  genuine =>
    resigned(genuine, { header })

/** The same, signed by a key that is not the service's. */
export const byAttacker =
  (claims: Members, header: Members = {}): Forge =>
  genuine =>
    signedByAttacker({ ...genuine, claims: { ...genuine.claims, ...claims } }, header)

const PART_CHANGED = { header: 0, payload: 1, signature: 2 } as const

export const PARTS = Object.keys(PART_CHANGED) as readonly (keyof typeof PART_CHANGED)[]

/** A JWS of two texts of JSON with one part spelled otherwise. What is signed is the text with the change. */
export const spelled = (
  key: ProofKey,
  texts: readonly [header: string, payload: string],
  part: keyof typeof PART_CHANGED,
  change: (text: string) => string,
): string => {
  const input = texts.map(text => Buffer.from(text).toString('base64url'))
  const index = PART_CHANGED[part]
  const [first = '', second = '', signature = ''] = signedText(
    key,
    input.map((text, n) => (n === index ? change(text) : text)).join('.'),
  ).split('.')
  return [first, second, part === 'signature' ? change(signature) : signature].join('.')
}

/** With the padding that base64 has. */
export const padded = (part: string): string => part.padEnd(Math.ceil(part.length / 4) * 4, '=')

const CHARACTERS_SHOWN = 60

/** The beginning of a text, without half of a surrogate pair at its end. */
export const shorten = (text: string): string => text.slice(0, CHARACTERS_SHOWN).replace(/[\ud800-\udbff]$/, '')

/** The time of the table. */
export const NOW_SECONDS = CLAIMS.iat
export const AUDIENCE = CLAIMS.aud
