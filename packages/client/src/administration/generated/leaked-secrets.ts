// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type RevokeLeakedSecretsAnswer = {
  /** What each was, in order. */
  readonly data: readonly {
    readonly result: 'revoked' | 'would_revoke' | 'already_revoked' | 'unknown'
    /** Null where it is not a secret of this service. */
    readonly kind: 'credential' | 'api_key' | 'access_token' | null
    readonly agent_id: string | null
    /** Of an access token the credential with which it was got. */
    readonly credential_id: string | null
    readonly api_key_id: string | null
    /** The jti of an access token. */
    readonly token_id: string | null
    /** Of the credential or API key. */
    readonly name: string | null
    /** The name of the agent. */
    readonly agent: string | null
    /** Who answers for the agent. */
    readonly owner: string | null
    /** Whether the agent has no live credential but those of this report; null unless it is a credential. */
    readonly last_credential: boolean | null
  }[]
}

export type RevokeLeakedSecretsQuery = {
  /** Answer what each is and whose, and revoke nothing. */
  readonly dry_run?: boolean
}

export type RevokeLeakedSecretsBody = readonly {
  /** The secret that was found, or a text with it: one that holds several is refused. */
  readonly token: string
  /** What the scanner takes it for; not needed. */
  readonly type?: string | null | undefined
  /** Where it was found; the audit log keeps it. */
  readonly url?: string | null | undefined
  /** The kind of place; not needed. */
  readonly source?: string | null | undefined
}[]
