// Made by packages/client/generate.ts from the rows of api/: change those, and run it.
import type { Count } from './tokens.ts'

export type ShowCredentialAnswer = {
  readonly credential_id: string
  readonly agent_id: string
  readonly name: string
  readonly kind:
    | 'client_secret'
    | 'private_key_jwt'
    | 'workload_identity'
    | 'tls_client_auth'
    | 'self_signed_tls_client_auth'
  readonly private_key_jwt?:
    | {
        readonly jwks?:
          | {
              readonly keys: readonly Readonly<Record<string, string>>[]
            }
          | undefined
        readonly jwks_uri?: string | undefined
        readonly accept_token_endpoint: boolean
      }
    | undefined
  readonly workload_identity?:
    | {
        readonly issuer: string
        readonly subject: string
        /** Null: the issuer of this service. */
        readonly audience: string | null
        /** Null: from the issuer's metadata. */
        readonly jwks_uri: string | null
      }
    | undefined
  /** One name, which the certificate must have. */
  readonly tls_client_auth?: Readonly<Record<string, string>> | undefined
  readonly self_signed_tls_client_auth?:
    | {
        /** SHA-256 of the certificates, base64url. */
        readonly thumbprints: readonly string[]
      }
    | undefined
  readonly created_at: string
  /** From then on it is refused; null: never. */
  readonly expires_at: string | null
  /** When it last got a token, at most a minute behind; null: never. */
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  /** Live tokens that it got. */
  readonly live_tokens: Count
}

export type CreateCredentialAnswer = {
  readonly credential_id: string
  readonly agent_id: string
  readonly name: string
  readonly kind:
    | 'client_secret'
    | 'private_key_jwt'
    | 'workload_identity'
    | 'tls_client_auth'
    | 'self_signed_tls_client_auth'
  readonly private_key_jwt?:
    | {
        readonly jwks?:
          | {
              readonly keys: readonly Readonly<Record<string, string>>[]
            }
          | undefined
        readonly jwks_uri?: string | undefined
        readonly accept_token_endpoint: boolean
      }
    | undefined
  readonly workload_identity?:
    | {
        readonly issuer: string
        readonly subject: string
        /** Null: the issuer of this service. */
        readonly audience: string | null
        /** Null: from the issuer's metadata. */
        readonly jwks_uri: string | null
      }
    | undefined
  /** One name, which the certificate must have. */
  readonly tls_client_auth?: Readonly<Record<string, string>> | undefined
  readonly self_signed_tls_client_auth?:
    | {
        /** SHA-256 of the certificates, base64url. */
        readonly thumbprints: readonly string[]
      }
    | undefined
  readonly created_at: string
  /** From then on it is refused; null: never. */
  readonly expires_at: string | null
  /** When it last got a token, at most a minute behind; null: never. */
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  /** Live tokens that it got. */
  readonly live_tokens: Count
  /** Shown this once; of the kind client_secret only. */
  readonly client_secret?: string | undefined
}

export type RotateCredentialAnswer = {
  readonly credential_id: string
  readonly agent_id: string
  readonly name: string
  readonly kind:
    | 'client_secret'
    | 'private_key_jwt'
    | 'workload_identity'
    | 'tls_client_auth'
    | 'self_signed_tls_client_auth'
  readonly private_key_jwt?:
    | {
        readonly jwks?:
          | {
              readonly keys: readonly Readonly<Record<string, string>>[]
            }
          | undefined
        readonly jwks_uri?: string | undefined
        readonly accept_token_endpoint: boolean
      }
    | undefined
  readonly workload_identity?:
    | {
        readonly issuer: string
        readonly subject: string
        /** Null: the issuer of this service. */
        readonly audience: string | null
        /** Null: from the issuer's metadata. */
        readonly jwks_uri: string | null
      }
    | undefined
  /** One name, which the certificate must have. */
  readonly tls_client_auth?: Readonly<Record<string, string>> | undefined
  readonly self_signed_tls_client_auth?:
    | {
        /** SHA-256 of the certificates, base64url. */
        readonly thumbprints: readonly string[]
      }
    | undefined
  readonly created_at: string
  /** From then on it is refused; null: never. */
  readonly expires_at: string | null
  /** When it last got a token, at most a minute behind; null: never. */
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  /** Live tokens that it got. */
  readonly live_tokens: Count
  /** Shown this once. */
  readonly client_secret: string
  readonly replaces: {
    readonly credential_id: string
    readonly expires_at: string | null
  }
}

export type ListCredentialsPage = {
  readonly data: readonly ShowCredentialAnswer[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type CreateCredentialBody = {
  /** A name to know it by. */
  readonly name: string
  readonly expires_at?: string | null | undefined
  /** Instead of a secret: the client signs assertions with a key of its own (RFC 7523). */
  readonly private_key_jwt?:
    | {
        /** Public keys of the client (RFC 7517). */
        readonly jwks?:
          | {
              readonly keys: readonly Readonly<Record<string, unknown>>[]
            }
          | null
          | undefined
        /** In their place, the https address where they stand. */
        readonly jwks_uri?: string | null | undefined
        /** Whether `aud` may be the address of the token endpoint, beside the issuer. */
        readonly accept_token_endpoint?: boolean | null | undefined
      }
    | null
    | undefined
  /** Instead of a secret: the client presents tokens that another issuer gives it. */
  readonly workload_identity?:
    | {
        /** `iss` of the tokens, or the trust domain of SPIFFE ids. */
        readonly issuer: string
        /** `sub` of the tokens; with a `*` at its end, its beginning. */
        readonly subject: string
        /** `aud` of the tokens; the issuer of this service unless it is given. */
        readonly audience?: string | null | undefined
        /** Where the issuer's keys stand; as its metadata says unless it is given. */
        readonly jwks_uri?: string | null | undefined
      }
    | null
    | undefined
  /** Instead of a secret: a TLS certificate of an authority, known by exactly one name (RFC 8705 §2.1). */
  readonly tls_client_auth?:
    | {
        readonly subject_dn?: string | null | undefined
        readonly san_dns?: string | null | undefined
        readonly san_uri?: string | null | undefined
        readonly san_ip?: string | null | undefined
        readonly san_email?: string | null | undefined
      }
    | null
    | undefined
  /** Instead of a secret: a TLS certificate that is one of these, signed by any issuer (RFC 8705 §2.2). */
  readonly self_signed_tls_client_auth?:
    | {
        /** Each one certificate in PEM. */
        readonly certificates?: readonly string[] | null | undefined
        /** In their place, the SHA-256 of each (DER), base64url. */
        readonly thumbprints?: readonly string[] | null | undefined
      }
    | null
    | undefined
}

export type ListCredentialsQuery = {
  /** Only what has this name. */
  readonly name?: string | undefined
  /** Only what has a name that opens so. */
  readonly name_prefix?: string | undefined
  /** What has this as its id, or as the beginning of one (4 characters or more), and what has a name that opens so. */
  readonly q?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type RevokeCredentialBody = {
  /** What its tokens end with. */
  readonly reason?: 'credential_revoked' | 'secret_leaked' | undefined
  /** Whether the tokens that it got live on. */
  readonly keep_tokens?: boolean | undefined
  readonly note?: string | null | undefined
  /** Count what would end, and change nothing. */
  readonly dry_run?: boolean
}

export type RotateCredentialBody = {
  /** How long the old one is still taken. */
  readonly grace_seconds: number
  readonly expires_at?: string | null | undefined
}
