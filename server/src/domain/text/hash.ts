// What stands in the store for a text that must not stand there: hashes, in lower-case hex.

/** SHA-256 of a text in UTF-8: 64 characters. */
export type Sha256 = string

/** The first 16 bytes of the SHA-256 of a token's exact text: 32 characters. */
export type Digest = string

export const SHA256_CHARACTERS = 64
export const DIGEST_CHARACTERS = 32

export const digestIn = (hash: Sha256): Digest => hash.slice(0, DIGEST_CHARACTERS)
