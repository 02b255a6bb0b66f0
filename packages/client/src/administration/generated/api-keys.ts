// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ShowApiKeyAnswer = {
  readonly api_key_id: string
  readonly name: string
  readonly permissions: readonly (
    | 'tokens:introspect'
    | 'tokens:read'
    | 'tokens:revoke'
    | 'agents:read'
    | 'agents:write'
    | 'issuers:write'
    | 'keys:write'
    | 'audit:read'
  )[]
  /** Only tokens for one of these exist for the key; null: all do. */
  readonly audiences: readonly string[] | null
  readonly created_at: string
  /** From then on it is refused; null: never. */
  readonly expires_at: string | null
  /** When it was last taken, at most a minute behind; null: never. */
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
}

export type CreateApiKeyAnswer = {
  readonly api_key_id: string
  readonly name: string
  readonly permissions: readonly (
    | 'tokens:introspect'
    | 'tokens:read'
    | 'tokens:revoke'
    | 'agents:read'
    | 'agents:write'
    | 'issuers:write'
    | 'keys:write'
    | 'audit:read'
  )[]
  /** Only tokens for one of these exist for the key; null: all do. */
  readonly audiences: readonly string[] | null
  readonly created_at: string
  /** From then on it is refused; null: never. */
  readonly expires_at: string | null
  /** When it was last taken, at most a minute behind; null: never. */
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** Shown this once. */
  readonly api_key: string
}

export type RotateApiKeyAnswer = {
  readonly api_key_id: string
  readonly name: string
  readonly permissions: readonly (
    | 'tokens:introspect'
    | 'tokens:read'
    | 'tokens:revoke'
    | 'agents:read'
    | 'agents:write'
    | 'issuers:write'
    | 'keys:write'
    | 'audit:read'
  )[]
  /** Only tokens for one of these exist for the key; null: all do. */
  readonly audiences: readonly string[] | null
  readonly created_at: string
  /** From then on it is refused; null: never. */
  readonly expires_at: string | null
  /** When it was last taken, at most a minute behind; null: never. */
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** Shown this once. */
  readonly api_key: string
  readonly replaces: {
    readonly api_key_id: string
    readonly expires_at: string | null
  }
}

export type ListApiKeysPage = {
  readonly data: readonly ShowApiKeyAnswer[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type CreateApiKeyBody = {
  /** A name to know it by. */
  readonly name: string
  /** What it may do. */
  readonly permissions: readonly (
    | 'tokens:introspect'
    | 'tokens:read'
    | 'tokens:revoke'
    | 'agents:read'
    | 'agents:write'
    | 'issuers:write'
    | 'keys:write'
    | 'audit:read'
  )[]
  /** Limits the key to tokens for one of these. Absent or null: it is not limited. */
  readonly audiences?: readonly string[] | null | undefined
  readonly expires_at?: string | null | undefined
}

export type ListApiKeysQuery = {
  /** Only those with one of these ids; may repeat. */
  readonly api_key_id?: readonly string[] | undefined
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

export type RevokeApiKeyBody = {
  readonly note?: string | null | undefined
}
