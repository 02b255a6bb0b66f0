// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ImportClientsAnswer = {
  readonly dry_run: boolean
  /** What became of each agent, in the order of the request. */
  readonly data: readonly {
    readonly client_id: string
    readonly outcome: 'imported' | 'exists' | 'refused'
    /** Why it was refused, as a code. */
    readonly reason: string | null
    /** The same for people. */
    readonly description: string | null
    /** Null unless it was imported, and in a dry run. */
    readonly agent_id: string | null
    readonly name: string | null
    readonly owner: string | null
    /** What becomes of its secret; null unless it is imported. */
    readonly secret: 'kept' | 'converted_at_first_use' | 'new' | null
    /** A new one, shown this once. */
    readonly client_secret: string | null
    readonly scope: string | null
    readonly default_scope: string | null
    readonly resources: readonly string[]
    readonly disabled: boolean
  }[]
}

export type ImportClientsBody = {
  /** Answer what would become of each agent, and do nothing. */
  readonly dry_run?: boolean
  readonly agents: readonly {
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
    /** 1 to 255 printable ASCII characters, without spaces around them. */
    readonly client_id: string
    /** 20 to 1024 characters. Without it and a hash the agent gets a new one. */
    readonly client_secret?: string | null | undefined
    /** In place of the secret its hash, bcrypt or PBKDF2. */
    readonly secret_hash?: string | null | undefined
    readonly secret_expires_at?: string | null | undefined
    readonly disabled?: boolean | undefined
  }[]
}
