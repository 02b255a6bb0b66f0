// Verifiers that follow the revocation feed: the bounds of their reports, and what the service shows of them.

/** Agents whose uses a report counts. */
export const USES_MAX = 100

/** A verifier that is not heard of for so long is silent. */
export const SILENT_SECONDS = 30

/** Verifiers that were heard of in this time are counted of a revocation. */
export const HELD_WITHIN_SECONDS = 300

/** Verifiers that do not hold a revocation, as its record names them. */
export const MISSING_MAX = 100

export const VERIFIER_STATES = ['current', 'behind', 'silent'] as const

export type VerifierState = (typeof VERIFIER_STATES)[number]
