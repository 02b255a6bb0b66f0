// Proofs of possession of a key (DPoP, RFC 9449) at the token endpoint: their claims, and the nonces of the service.
import {
  checkProofClaims as checkClaims,
  PROOF_AGE_SECONDS_MAX,
  type ProofClaims,
} from '../../../../packages/verify/src/readers/proof-claims.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { type OrRefusal, refuse } from '../refusal.ts'

/** `required`: a proof must carry a nonce of this service. `off`: none is issued or checked. */
export const DPOP_NONCE_POLICIES = ['required', 'off'] as const

export type DpopNoncePolicy = (typeof DPOP_NONCE_POLICIES)[number]

/** A nonce belongs to a time step, and is accepted in that step and the next: for one to two minutes. */
const NONCE_STEP_MS = 60_000

type Claims = Readonly<Record<string, unknown>>

export const refuseProof = (why: string) => refuse('invalid_dpop_proof', `The DPoP proof was refused: ${why}.`)

/** The checked claims of a proof at `now`, or why they are not those of a POST to `called` (RFC 9449 §4.3). */
export const checkProofClaims = (
  claims: Claims,
  called: string,
  now: Milliseconds,
): OrRefusal<ProofClaims & { readonly nonce: unknown }> => {
  // As far as for identity providers: a clock that goes ahead is no reason to refuse an agent its token.
  const time = { nowMs: now, aheadSecondsMax: PROOF_AGE_SECONDS_MAX }
  const checked = checkClaims(claims, { method: 'POST', url: called }, time)
  return 'wrong' in checked ? refuseProof(checked.wrong) : { ...checked, nonce: claims['nonce'] }
}

/** The time step whose nonce is issued at `now`. */
export const nonceStepAt = (now: Milliseconds): number => Math.floor(now / NONCE_STEP_MS)

/** The last time at which the nonce of a step is accepted. */
export const nonceLastInstant = (step: number): Milliseconds => (step + 2) * NONCE_STEP_MS - 1
