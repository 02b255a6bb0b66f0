// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type ShowStatusAnswer = {
  /** By the clock of the store. */
  readonly at: string
  /** Of the program that answers. */
  readonly version: string
  /** Agents that are not deleted, disabled ones too. */
  readonly agents: number
  readonly agents_disabled: number
  /** All that introspection reports active, as of `live_tokens_at`. Null: they are too many to be counted right now, because many end at this moment. */
  readonly live_tokens: number | null
  /** A moment ago; with a million live tokens and more up to 30 s, and two more for each million. */
  readonly live_tokens_at: string | null
  readonly tokens_last_minute: number
  readonly tokens_last_hour: number
  readonly tokens_last_day: number
  /** Token requests of the last hour that were refused although the agent had authenticated itself. */
  readonly refusals: number
  /** Of the last hour, of every kind. */
  readonly failed_authentications: number
  /** The oldest key in each state. */
  readonly signing_keys: readonly {
    readonly state: 'next' | 'current' | 'retained'
    readonly created_at: string
  }[]
  /** Within 7 days. */
  readonly credentials_expiring: number
  /** Within 7 days. */
  readonly api_keys_expiring: number
  /** By a restore from a backup, until `mintmark restore accept`: they get no token. */
  readonly agents_suspended: number
  readonly credentials_suspended: number
  readonly api_keys_suspended: number
  readonly issuers_suspended: number
  /** Acts whose tokens are all dead, and whose records are still being updated. */
  readonly revocations_open: number
  readonly oldest_open_revocation_at: string | null
  readonly audit_entries_unsealed: number
}

export type ListExpiringAnswer = {
  /** Those that are not revoked and expire within 7 days, soonest first, at most 100. */
  readonly data: readonly {
    readonly kind: 'credential' | 'api_key'
    readonly id: string
    readonly name: string
    /** Whose credential it is; null: it is an API key. */
    readonly agent_id: string | null
    readonly agent_name: string | null
    readonly expires_at: string
    /** At most a minute behind; null: never. */
    readonly last_used_at: string | null
  }[]
}
