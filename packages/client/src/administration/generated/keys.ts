// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ShowSigningKeyAnswer = {
  readonly kid: string
  readonly algorithm: 'ES256' | 'RS256' | 'EdDSA' | 'ML-DSA-65'
  readonly state: 'next' | 'current' | 'retained' | 'gone' | 'compromised'
  /** RFC 7638. */
  readonly thumbprint: string
  readonly imported: boolean
  /** It signs as soon as it has been published long enough. */
  readonly rotation_requested: boolean
  readonly created_at: string
  /** Null: it never signed. */
  readonly signs_from: string | null
  readonly signs_until: string | null
  /** Of the key that signs: from when on the next one takes its place by itself, once that is ready; at once where it is requested, or has another algorithm. Null: when an operator rotates. */
  readonly rotates_at: string | null
  /** When it left the key set. */
  readonly gone_at: string | null
  /** How long a key is published, at least, before it signs. */
  readonly published_before_signing_seconds: number
  /** How long this one is published after it ceased to sign. */
  readonly kept_after_signing_seconds: number
  /** Of a next key: when it may sign, in time that the service runs. */
  readonly ready_in_seconds: number | null
  /** Of a retained key: when it leaves the key set, in the same time. */
  readonly leaves_in_seconds: number | null
  readonly public_jwk:
    | {
        readonly kty: 'EC'
        readonly crv: 'P-256'
        readonly x: string
        readonly y: string
        readonly alg: 'ES256'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
    | {
        readonly kty: 'RSA'
        readonly n: string
        readonly e: string
        readonly alg: 'RS256'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
    | {
        readonly kty: 'OKP'
        readonly crv: 'Ed25519'
        readonly x: string
        readonly alg: 'EdDSA'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
    | {
        readonly kty: 'AKP'
        readonly pub: string
        readonly alg: 'ML-DSA-65'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
}

export type ImportSigningKeyAnswer = {
  readonly kid: string
  readonly algorithm: 'ES256' | 'RS256' | 'EdDSA' | 'ML-DSA-65'
  readonly state: 'next' | 'current' | 'retained' | 'gone' | 'compromised'
  /** RFC 7638. */
  readonly thumbprint: string
  readonly imported: boolean
  /** It signs as soon as it has been published long enough. */
  readonly rotation_requested: boolean
  readonly created_at: string
  /** Null: it never signed. */
  readonly signs_from: string | null
  readonly signs_until: string | null
  /** Of the key that signs: from when on the next one takes its place by itself, once that is ready; at once where it is requested, or has another algorithm. Null: when an operator rotates. */
  readonly rotates_at: string | null
  /** When it left the key set. */
  readonly gone_at: string | null
  /** How long a key is published, at least, before it signs. */
  readonly published_before_signing_seconds: number
  /** How long this one is published after it ceased to sign. */
  readonly kept_after_signing_seconds: number
  /** Of a next key: when it may sign, in time that the service runs. */
  readonly ready_in_seconds: number | null
  /** Of a retained key: when it leaves the key set, in the same time. */
  readonly leaves_in_seconds: number | null
  readonly public_jwk:
    | {
        readonly kty: 'EC'
        readonly crv: 'P-256'
        readonly x: string
        readonly y: string
        readonly alg: 'ES256'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
    | {
        readonly kty: 'RSA'
        readonly n: string
        readonly e: string
        readonly alg: 'RS256'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
    | {
        readonly kty: 'OKP'
        readonly crv: 'Ed25519'
        readonly x: string
        readonly alg: 'EdDSA'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
    | {
        readonly kty: 'AKP'
        readonly pub: string
        readonly alg: 'ML-DSA-65'
        /** The RFC 7638 thumbprint, or the name under which the key was imported. */
        readonly kid: string
        readonly use: 'sig'
      }
  /** The key that signs now. */
  readonly current_kid: string
  /** What may break, and until when; null: nothing. */
  readonly warning: string | null
}

export type ListSigningKeysPage = {
  readonly data: readonly ShowSigningKeyAnswer[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type ImportSigningKeyBody = {
  /** PKCS#8 in PEM without a passphrase, or a JWK. */
  readonly private_key:
    | string
    | {
        readonly kty: string
      }
  /** Its name; absent: the one in the JWK, or else the thumbprint. */
  readonly kid?: string | null | undefined
  readonly note?: string | null | undefined
}

export type RetireSigningKeyBody = {
  /** At once, although verifiers may not know the next key yet. */
  readonly force?: boolean | undefined
  readonly note?: string | null | undefined
}
