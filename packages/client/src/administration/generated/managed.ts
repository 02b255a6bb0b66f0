// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ApplyRecordAnswer = {
  readonly kind: 'issuer' | 'agent' | 'credential'
  readonly action: 'none' | 'create' | 'change' | 'replace' | 'adopt' | 'delete'
  /** Null before it is made; of an issuer its alias. */
  readonly id: string | null
  readonly name: string
  /** The name of the agent of a credential. */
  readonly agent: string | null
  /** The members that differ, as they are now. */
  readonly before: Readonly<Record<string, unknown>>
  /** The same as they will be. */
  readonly after: Readonly<Record<string, unknown>>
  /** What was done by hand, and is left so. `revoked`: such a credential is not made again. */
  readonly remark: 'disabled' | 'suspended' | 'revoked' | null
}

export type PlanRecordsAnswer = {
  /** What would become of each record, in order. */
  readonly data: readonly {
    readonly kind: 'issuer' | 'agent' | 'credential'
    readonly action: 'none' | 'create' | 'change' | 'replace' | 'adopt' | 'delete'
    /** Null before it is made; of an issuer its alias. */
    readonly id: string | null
    readonly name: string
    /** The name of the agent of a credential. */
    readonly agent: string | null
    /** The members that differ, as they are now. */
    readonly before: Readonly<Record<string, unknown>>
    /** The same as they will be. */
    readonly after: Readonly<Record<string, unknown>>
    /** What was done by hand, and is left so. `revoked`: such a credential is not made again. */
    readonly remark: 'disabled' | 'suspended' | 'revoked' | null
    readonly ends: {
      /** Live tokens that would end. */
      readonly tokens: number
      /** Live tokens beside those that were got for them, and would end with them. */
      readonly descendants: number
      /** The agents that hold those, most first, at most 20. */
      readonly descendant_agents: readonly {
        readonly agent_id: string
        readonly name: string
        readonly tokens: number
      }[]
      /** False: at least so many. Exact up to 10000 in all. */
      readonly exact: boolean
      /** With what the tokens would end. Empty: this ends nothing, whatever tokens there are. */
      readonly reasons: readonly string[]
    }
    /** Null where nothing has to be done. */
    readonly plan_id: string | null
    /** Why nothing can become of it; then nothing else is known of it. */
    readonly refusal: {
      readonly error: string
      readonly description: string
    } | null
  }[]
}

export type ListManagedRecord = {
  readonly kind: 'issuer' | 'agent' | 'credential'
  /** Its agent_id or credential_id; of an issuer its alias. */
  readonly id: string
  readonly name: string
  /** The name of the agent of a credential. */
  readonly agent: string | null
}

export type ListManagedPage = {
  readonly data: readonly ListManagedRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type ApplyRecordBody = {
  /** The name of the set of files. */
  readonly set: string
  /** Take over what another set manages, or nobody does. */
  readonly adopt?: boolean | undefined
  readonly document:
    | {
        readonly name: string
        readonly description?: string | null | undefined
        readonly owner?: string | null | undefined
        readonly labels?: Readonly<Record<string, string>> | null | undefined
        readonly scope: string
        readonly default_scope?: string | null | undefined
        readonly resources?: readonly string[] | undefined
        readonly default_audience?: string | null | undefined
        readonly lifetime_seconds?: number | null | undefined
        readonly tokens_per_minute?: number | null | undefined
        readonly tokens_per_day?: number | null | undefined
        readonly live_tokens_max?: number | null | undefined
        /** Null: refuse. */
        readonly at_live_tokens_max?: 'refuse' | 'supersede' | null | undefined
        readonly dpop_bound_access_tokens?: boolean | undefined
        readonly tls_client_certificate_bound_access_tokens?: boolean | undefined
        readonly grant_types?: readonly string[] | undefined
        readonly acts_for?: readonly string[] | undefined
        readonly receives?: readonly string[] | undefined
        readonly issuer_clients?: Readonly<Record<string, string>> | undefined
        readonly claims?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined
        readonly expires_at?: string | null | undefined
        readonly kind: 'agent'
        /** A UUID of your own, which no agent has had; without it the agent is known by its name. */
        readonly agent_id?: string | undefined
      }
    | {
        readonly kind: 'credential'
        /** The agent, by its agent_id or its name. */
        readonly agent: string
        /** A name to know it by: another one in its place has the same. */
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
    | {
        /** Its name here, which is never given again. */
        readonly alias: string
        /** `iss` of its JWTs, compared as it is written. */
        readonly issuer: string
        /** The claim that names its subjects. */
        readonly subject_claim?: 'sub' | 'oid' | undefined
        /** Claims that its JWTs must have, with exactly these values. Of two records of one issuer, one claim must differ. */
        readonly require?: Readonly<Record<string, string>> | undefined
        /** Where its keys stand. Null: as its metadata says. */
        readonly jwks_uri?: string | null | undefined
        /** The algorithms of its signatures. */
        readonly algorithms?: readonly ('RS256' | 'PS256' | 'ES256' | 'ES384' | 'Ed25519')[] | undefined
        /** The kinds of its JWTs that are taken. `jwt`, access tokens without a type, needs `parties`. */
        readonly token_types: readonly ('id_token' | 'access_token' | 'jwt' | 'id-jag')[]
        /** The clients of the issuer whose JWTs are taken, by `azp`, else `client_id`, `appid` or `cid`. None: any. */
        readonly parties?: readonly string[] | undefined
        /** The most that its tokens may have, where their agent may too: items, or resource:*. */
        readonly scope: string
        /** The audiences that its tokens may have, where its agent may too; * for any. */
        readonly resources?: readonly string[] | undefined
        /** The longest lifetime of its tokens; each gets the longest of those in use that is no longer. */
        readonly lifetime_seconds?: number | undefined
        readonly kind: 'issuer'
      }
    | {
        readonly kind: 'removal'
        readonly of: 'issuer' | 'agent' | 'credential'
        /** Its agent_id or credential_id; of an issuer its alias. */
        readonly id: string
      }
  /** Of a plan of the same record by the same caller, 600 s ago at most. Where something else would be done: 409. */
  readonly plan_id: string
  /** How many tokens more may end that were issued since the plan. */
  readonly max_extra?: number | undefined
}

export type ListManagedQuery = {
  /** The name of the set. */
  readonly set?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type PlanRecordsBody = {
  /** The name of the set of files. */
  readonly set: string
  /** Take over what another set manages, or nobody does. */
  readonly adopt?: boolean | undefined
  /** The aliases of issuers that are declared beside these records, and applied before them. */
  readonly issuers?: readonly string[] | undefined
  readonly documents: readonly (
    | {
        readonly name: string
        readonly description?: string | null | undefined
        readonly owner?: string | null | undefined
        readonly labels?: Readonly<Record<string, string>> | null | undefined
        readonly scope: string
        readonly default_scope?: string | null | undefined
        readonly resources?: readonly string[] | undefined
        readonly default_audience?: string | null | undefined
        readonly lifetime_seconds?: number | null | undefined
        readonly tokens_per_minute?: number | null | undefined
        readonly tokens_per_day?: number | null | undefined
        readonly live_tokens_max?: number | null | undefined
        /** Null: refuse. */
        readonly at_live_tokens_max?: 'refuse' | 'supersede' | null | undefined
        readonly dpop_bound_access_tokens?: boolean | undefined
        readonly tls_client_certificate_bound_access_tokens?: boolean | undefined
        readonly grant_types?: readonly string[] | undefined
        readonly acts_for?: readonly string[] | undefined
        readonly receives?: readonly string[] | undefined
        readonly issuer_clients?: Readonly<Record<string, string>> | undefined
        readonly claims?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined
        readonly expires_at?: string | null | undefined
        readonly kind: 'agent'
        /** A UUID of your own, which no agent has had; without it the agent is known by its name. */
        readonly agent_id?: string | undefined
      }
    | {
        readonly kind: 'credential'
        /** The agent, by its agent_id or its name. */
        readonly agent: string
        /** A name to know it by: another one in its place has the same. */
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
    | {
        /** Its name here, which is never given again. */
        readonly alias: string
        /** `iss` of its JWTs, compared as it is written. */
        readonly issuer: string
        /** The claim that names its subjects. */
        readonly subject_claim?: 'sub' | 'oid' | undefined
        /** Claims that its JWTs must have, with exactly these values. Of two records of one issuer, one claim must differ. */
        readonly require?: Readonly<Record<string, string>> | undefined
        /** Where its keys stand. Null: as its metadata says. */
        readonly jwks_uri?: string | null | undefined
        /** The algorithms of its signatures. */
        readonly algorithms?: readonly ('RS256' | 'PS256' | 'ES256' | 'ES384' | 'Ed25519')[] | undefined
        /** The kinds of its JWTs that are taken. `jwt`, access tokens without a type, needs `parties`. */
        readonly token_types: readonly ('id_token' | 'access_token' | 'jwt' | 'id-jag')[]
        /** The clients of the issuer whose JWTs are taken, by `azp`, else `client_id`, `appid` or `cid`. None: any. */
        readonly parties?: readonly string[] | undefined
        /** The most that its tokens may have, where their agent may too: items, or resource:*. */
        readonly scope: string
        /** The audiences that its tokens may have, where its agent may too; * for any. */
        readonly resources?: readonly string[] | undefined
        /** The longest lifetime of its tokens; each gets the longest of those in use that is no longer. */
        readonly lifetime_seconds?: number | undefined
        readonly kind: 'issuer'
      }
    | {
        readonly kind: 'removal'
        readonly of: 'issuer' | 'agent' | 'credential'
        /** Its agent_id or credential_id; of an issuer its alias. */
        readonly id: string
      }
  )[]
}
