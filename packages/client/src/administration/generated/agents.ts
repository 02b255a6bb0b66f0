// Made by packages/client/generate.ts from the rows of api/: change those, and run it.

export type AgentRecord = {
  /** The sub of its tokens. Never used twice. */
  readonly agent_id: string
  readonly client_id: string
  readonly name: string
  readonly description: string | null
  /** Who answers for it. */
  readonly owner: string | null
  readonly labels: Readonly<Record<string, string>>
  /** What it may ask for: items, or resource:* for every action on a resource. */
  readonly scope: string
  /** What it gets where a request names no scope. */
  readonly default_scope: string | null
  /** What it may ask for as audience; * for any. */
  readonly resources: readonly string[]
  /** Null: the service's. */
  readonly default_audience: string | null
  /** Null: the service's. */
  readonly lifetime_seconds: number | null
  /** The most tokens it gets in any 60 seconds. Null: any number. */
  readonly tokens_per_minute: number | null
  /** The most tokens it gets in any 24 hours. Null: any number. */
  readonly tokens_per_day: number | null
  /** The most of its tokens that are alive at once. Null: any number. */
  readonly live_tokens_max: number | null
  /** What a request beyond live_tokens_max does: it is refused, or ends the oldest token of the agent. */
  readonly at_live_tokens_max: 'refuse' | 'supersede'
  /** Whether it gets no token without a DPoP proof (RFC 9449 §5.2). */
  readonly dpop_bound_access_tokens: boolean
  /** Whether its tokens are bound to its TLS certificate, without which it gets none (RFC 8705 §3.4). */
  readonly tls_client_certificate_bound_access_tokens: boolean
  /** The grants that it may use at the token endpoint. */
  readonly grant_types: readonly string[]
  /** Whose tokens it may exchange (RFC 8693), where they were sent to it; each the id of an agent, label:key=value, issuer:ALIAS, issuer:ALIAS:SUB, or *. */
  readonly acts_for: readonly string[]
  /** The audiences for which it is the resource server: it may exchange tokens that were sent to these. */
  readonly receives: readonly string[]
  /** Its client ids at trusted issuers, by their aliases: JWTs that were sent to these were sent to it. */
  readonly issuer_clients: Readonly<Record<string, string>>
  /** What its tokens say beside the claims of every token; names are URIs, or in `MINTMARK_CLAIM_NAMES`. */
  readonly claims: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** From then on it is refused, and no token of it lives. Null: never. */
  readonly expires_at: string | null
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  readonly created_at: string
  readonly disabled_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
}

export type ShowDelegationAnswer = {
  readonly agent_id: string
  /** The grants that it may use at the token endpoint. */
  readonly grant_types: readonly string[]
  /** Whose tokens it may exchange (RFC 8693), where they were sent to it; each the id of an agent, label:key=value, issuer:ALIAS, issuer:ALIAS:SUB, or *. */
  readonly acts_for: readonly string[]
  /** The audiences for which it is the resource server: it may exchange tokens that were sent to these. */
  readonly receives: readonly string[]
  /** Its client ids at trusted issuers, by their aliases: JWTs that were sent to these were sent to it. */
  readonly issuer_clients: Readonly<Record<string, string>>
  /** Agents whose tokens it may exchange, where they are for an audience that it receives. */
  readonly subjects: readonly {
    readonly agent_id: string
    readonly name: string
    readonly owner: string | null
    readonly disabled_at: string | null
    /** The entry of acts_for that allows it. */
    readonly by: string
  }[]
  /** Whether there are more than are shown. */
  readonly subjects_more: boolean
  /** Agents that may exchange its tokens, where they are for an audience that those receive. */
  readonly actors: readonly {
    readonly agent_id: string
    readonly name: string
    readonly owner: string | null
    readonly disabled_at: string | null
    /** The entry of acts_for that allows it. */
    readonly by: string
  }[]
  /** Whether there are more than are shown. */
  readonly actors_more: boolean
}

export type CreateAgentAnswer = {
  /** The sub of its tokens. Never used twice. */
  readonly agent_id: string
  readonly client_id: string
  readonly name: string
  readonly description: string | null
  /** Who answers for it. */
  readonly owner: string | null
  readonly labels: Readonly<Record<string, string>>
  /** What it may ask for: items, or resource:* for every action on a resource. */
  readonly scope: string
  /** What it gets where a request names no scope. */
  readonly default_scope: string | null
  /** What it may ask for as audience; * for any. */
  readonly resources: readonly string[]
  /** Null: the service's. */
  readonly default_audience: string | null
  /** Null: the service's. */
  readonly lifetime_seconds: number | null
  /** The most tokens it gets in any 60 seconds. Null: any number. */
  readonly tokens_per_minute: number | null
  /** The most tokens it gets in any 24 hours. Null: any number. */
  readonly tokens_per_day: number | null
  /** The most of its tokens that are alive at once. Null: any number. */
  readonly live_tokens_max: number | null
  /** What a request beyond live_tokens_max does: it is refused, or ends the oldest token of the agent. */
  readonly at_live_tokens_max: 'refuse' | 'supersede'
  /** Whether it gets no token without a DPoP proof (RFC 9449 §5.2). */
  readonly dpop_bound_access_tokens: boolean
  /** Whether its tokens are bound to its TLS certificate, without which it gets none (RFC 8705 §3.4). */
  readonly tls_client_certificate_bound_access_tokens: boolean
  /** The grants that it may use at the token endpoint. */
  readonly grant_types: readonly string[]
  /** Whose tokens it may exchange (RFC 8693), where they were sent to it; each the id of an agent, label:key=value, issuer:ALIAS, issuer:ALIAS:SUB, or *. */
  readonly acts_for: readonly string[]
  /** The audiences for which it is the resource server: it may exchange tokens that were sent to these. */
  readonly receives: readonly string[]
  /** Its client ids at trusted issuers, by their aliases: JWTs that were sent to these were sent to it. */
  readonly issuer_clients: Readonly<Record<string, string>>
  /** What its tokens say beside the claims of every token; names are URIs, or in `MINTMARK_CLAIM_NAMES`. */
  readonly claims: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** From then on it is refused, and no token of it lives. Null: never. */
  readonly expires_at: string | null
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  readonly created_at: string
  readonly disabled_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** Shown this once. */
  readonly client_secret: string
}

export type EnableAgentAnswer = {
  /** The sub of its tokens. Never used twice. */
  readonly agent_id: string
  readonly client_id: string
  readonly name: string
  readonly description: string | null
  /** Who answers for it. */
  readonly owner: string | null
  readonly labels: Readonly<Record<string, string>>
  /** What it may ask for: items, or resource:* for every action on a resource. */
  readonly scope: string
  /** What it gets where a request names no scope. */
  readonly default_scope: string | null
  /** What it may ask for as audience; * for any. */
  readonly resources: readonly string[]
  /** Null: the service's. */
  readonly default_audience: string | null
  /** Null: the service's. */
  readonly lifetime_seconds: number | null
  /** The most tokens it gets in any 60 seconds. Null: any number. */
  readonly tokens_per_minute: number | null
  /** The most tokens it gets in any 24 hours. Null: any number. */
  readonly tokens_per_day: number | null
  /** The most of its tokens that are alive at once. Null: any number. */
  readonly live_tokens_max: number | null
  /** What a request beyond live_tokens_max does: it is refused, or ends the oldest token of the agent. */
  readonly at_live_tokens_max: 'refuse' | 'supersede'
  /** Whether it gets no token without a DPoP proof (RFC 9449 §5.2). */
  readonly dpop_bound_access_tokens: boolean
  /** Whether its tokens are bound to its TLS certificate, without which it gets none (RFC 8705 §3.4). */
  readonly tls_client_certificate_bound_access_tokens: boolean
  /** The grants that it may use at the token endpoint. */
  readonly grant_types: readonly string[]
  /** Whose tokens it may exchange (RFC 8693), where they were sent to it; each the id of an agent, label:key=value, issuer:ALIAS, issuer:ALIAS:SUB, or *. */
  readonly acts_for: readonly string[]
  /** The audiences for which it is the resource server: it may exchange tokens that were sent to these. */
  readonly receives: readonly string[]
  /** Its client ids at trusted issuers, by their aliases: JWTs that were sent to these were sent to it. */
  readonly issuer_clients: Readonly<Record<string, string>>
  /** What its tokens say beside the claims of every token; names are URIs, or in `MINTMARK_CLAIM_NAMES`. */
  readonly claims: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** From then on it is refused, and no token of it lives. Null: never. */
  readonly expires_at: string | null
  /** The set of files that declares it, `apply/NAME`: the next `mintmark apply` of it undoes a change by hand. Null: none. */
  readonly managed_by: string | null
  readonly created_at: string
  readonly disabled_at: string | null
  /** Since when a restore of the store keeps it from being used; null: it does not, or an operator has accepted it. */
  readonly suspended_at: string | null
  /** Whether this request did it; false: it was so before, and the note is kept nowhere. */
  readonly changed: boolean
}

export type ListAgentsPage = {
  readonly data: readonly AgentRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type ChangeAgentBody = {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly owner?: string | null | undefined
  /** The labels to set; null for one to remove. */
  readonly labels?: Readonly<Record<string, string | null>> | null | undefined
  readonly scope?: string | undefined
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
  /** Count what would end, and change nothing. */
  readonly dry_run?: boolean
}

export type CreateAgentBody = {
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
}

export type DeleteAgentQuery = {
  /** For those who read the audit log and the history later. */
  readonly note?: string | undefined
  /** Count what would end, and change nothing. */
  readonly dry_run?: boolean
}

export type DisableAgentBody = {
  readonly note?: string | null | undefined
  /** Count what would end, and change nothing. */
  readonly dry_run?: boolean
}

export type EnableAgentBody = {
  readonly note?: string | null | undefined
}

export type ListAgentsQuery = {
  /** Only disabled ones, or only others. */
  readonly disabled?: boolean | undefined
  /** Only those of this owner. */
  readonly owner?: string | undefined
  /** Only those with this label, `key=value`; may repeat. */
  readonly label?: readonly string[] | undefined
  /** Only those that may use this grant. */
  readonly grant_type?:
    | 'client_credentials'
    | 'urn:ietf:params:oauth:grant-type:token-exchange'
    | 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    | undefined
  /** Only those with one of these ids; may repeat. */
  readonly agent_id?: readonly string[] | undefined
  /** Only the clients of these ids; may repeat. */
  readonly client_id?: readonly string[] | undefined
  /** Only those that got no token since then, nor in the minute before, and existed by then. */
  readonly unused_since?: string | undefined
  /** Only those that expire before then. */
  readonly expires_before?: string | undefined
  /** Only what has this name. */
  readonly name?: string | undefined
  /** Only what has a name that opens so. */
  readonly name_prefix?: string | undefined
  /** What has this as its id or that of its client, or as the beginning of one (4 characters or more), 10 of them at most, and what has it anywhere in its name, its owner, or the key or value of a label, whatever the case of ASCII letters. First the one with this whole id, or else with this whole name. */
  readonly q?: string | undefined
  /** Only what has this as its id, that of its client or that of one of its credentials, or as the beginning of one (4 characters or more): 10 at most by its own ids, and by the first 10 such credentials. */
  readonly id_prefix?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}
