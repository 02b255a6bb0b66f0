// The algorithms of signatures: of our keys, and of client assertions.

/**
 * What a key can sign with, by the name that `alg` has in its tokens and in the key set. Ed25519 goes by `EdDSA`: most
 * verifiers refuse its newer name (RFC 9864) today. ML-DSA-65 is experimental: hardly any verifier knows it.
 */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'EdDSA', 'ML-DSA-65'] as const

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** The lengths of signatures, in bytes; of RS256 with keys of 2048, 3072 and 4096 bits. */
export const SIGNATURE_BYTES = {
  ES256: [64],
  RS256: [256, 384, 512],
  EdDSA: [64],
  'ML-DSA-65': [3309],
} as const satisfies Readonly<Record<SigningAlgorithm, readonly number[]>>

/** Asymmetric all, as for identity providers; `EdDSA` is the older name of Ed25519. */
export const ASSERTION_ALGORITHMS = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'RS256', 'PS256'] as const

/** Those of identity providers and trusted issuers, all asymmetric: a shared secret could also forge (RFC 8725 §3.1). */
export const PROVIDER_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'Ed25519'] as const

export type ProviderAlgorithm = (typeof PROVIDER_ALGORITHMS)[number]
