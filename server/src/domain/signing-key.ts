// Signing keys: what is published of one, and what the store keeps of one.

/** A public key as the key set publishes it (RFC 7517; kid is the RFC 7638 thumbprint). */
export type PublicJwk = {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly kid: string
  readonly alg: 'ES256'
  readonly use: 'sig'
}

/** A signing key at rest: its private half is sealed under a key-encryption key. */
export type SealedSigningKey = {
  readonly publicJwk: PublicJwk
  /** AES-256-GCM: nonce, ciphertext, tag. */
  readonly sealedPrivateKey: Uint8Array
  /** Names the key-encryption key that sealed it; not secret. */
  readonly keyEncryptionKeyId: string
}

/** `number` is the store's. */
export type SigningKey = SealedSigningKey & { readonly number: number }
