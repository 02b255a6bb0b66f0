// Signing keys: the published part and the stored form.

type Published = { readonly kid: string; readonly use: 'sig' }

type EcJwk = { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
type RsaJwk = { readonly kty: 'RSA'; readonly n: string; readonly e: string }
type OkpJwk = { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
type AkpJwk = { readonly kty: 'AKP'; readonly pub: string }

/** The members of a public key, without `kid`. */
export type BareJwk =
  | (EcJwk & { readonly alg: 'ES256' })
  | (RsaJwk & { readonly alg: 'RS256' })
  | (OkpJwk & { readonly alg: 'EdDSA' })
  | (AkpJwk & { readonly alg: 'ML-DSA-65' })

/** A public key as the key set publishes it (RFC 7517). */
export type PublicJwk = BareJwk & Published

/** A signing key at rest: its private half is encrypted under a key-encryption key. */
export type SealedSigningKey = {
  readonly publicJwk: PublicJwk
  /** RFC 7638: identifies the key regardless of its `kid`. */
  readonly thumbprint: string
  /** AES-256-GCM: nonce, ciphertext, tag. */
  readonly sealedPrivateKey: Uint8Array
  /** The id of its key-encryption key; not secret. */
  readonly keyEncryptionKeyId: string
}

/** `number` is the store's. */
export type SigningKey = SealedSigningKey & { readonly number: number }
