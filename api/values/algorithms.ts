// The algorithms of signatures: of our keys, and of client assertions.

/**
 * What a key can sign with, by the name that `alg` has in its tokens and in the key set. Ed25519 goes by `EdDSA`: most
 * verifiers refuse its newer name (RFC 9864) today. ML-DSA-65 is experimental: hardly any verifier knows it.
 */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA', 'ML-DSA-65'] as const

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** Asymmetric all, as for identity providers; `EdDSA` is the older name of Ed25519. */
export const ASSERTION_ALGORITHMS = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'RS256', 'PS256'] as const
