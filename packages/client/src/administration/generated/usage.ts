// Made by packages/client/generate.ts from the rows of api/: change those, and run it.
import type { Count } from './tokens.ts'

export type ShowUsageSeriesAnswer = {
  /** By the clock of the store. */
  readonly at: string
  /** The length of a minute or hour, in seconds. */
  readonly point_seconds: number
  /** Oldest first, without gaps. The last one is not over yet. */
  readonly data: readonly {
    /** When the minute or hour begins. */
    readonly from: string
    /** Tokens issued. */
    readonly issued: number
    /** Token requests that were refused although the agent had authenticated itself. */
    readonly refused: number
    /** Introspections that were answered with active. */
    readonly active: number
    /** Introspections that were answered with inactive. */
    readonly inactive: number
    /** Tokens that ended before they expired, by reason. Those of a large revocation appear as their records are updated. */
    readonly ended: readonly {
      readonly reason: string
      readonly count: number
      /** False: there are at least so many. */
      readonly exact: boolean
    }[]
  }[]
}

export type ListAgentUsageAnswer = {
  /** Agents that asked for a token within the last day, or those of `agent_id`, most tokens of the last minute first, of equals those of the last hour, of the last day, and that got one last. */
  readonly data: readonly {
    readonly agent_id: string
    readonly name: string
    readonly owner: string | null
    readonly state: 'active' | 'disabled' | 'deleted'
    /** Tokens that it got in the last 60 s; the slot of time that the window cuts counts in proportion. */
    readonly tokens_last_minute: number
    /** Tokens that it got in the last 60 minutes; the slot of time that the window cuts counts in proportion. */
    readonly tokens_last_hour: number
    /** Tokens that it got in the last 24 hours; the slot of time that the window cuts counts in proportion. */
    readonly tokens_last_day: number
    /** Its live tokens: exact to 10,000. */
    readonly live_tokens: Count
    /** Token requests of the last 60 minutes that were refused although the agent had authenticated itself. */
    readonly refusals: number
    /** When it got its last token; null: not within the last day. */
    readonly last_issued_at: string | null
    /** When one of its credentials last got a token, to the minute; null: never. */
    readonly last_used_at: string | null
  }[]
}

export type ListRefusedRequestsAnswer = {
  /** Most first, then the one that was counted last. */
  readonly data: readonly {
    /** Null: a limit of the service turned it away, or it is beyond 200 pairs of agent and reason of a slot. */
    readonly agent_id: string | null
    readonly name: string | null
    /** The code of the error, see `/errors`, or the name of the limit that was reached. */
    readonly reason: string
    /** The status of the response. Null: there was none, the connection was closed. */
    readonly status: number | null
    /** What changes the limit: settings of the service, or a member of the agent. Empty: it is none, or fixed. */
    readonly settings: readonly string[]
    /** How often; the slot of time that the window cuts counts in proportion. */
    readonly count: number
    /** When it was last counted, at most 2 s after it happened. */
    readonly last_at: string
  }[]
  /** The limits among them, each of all agents together. */
  readonly limits: readonly {
    /** The code of the error, see `/errors`, or the name of the limit that was reached. */
    readonly reason: string
    /** The status of the response. Null: there was none, the connection was closed. */
    readonly status: number | null
    /** What changes the limit: settings of the service, or a member of the agent. Empty: it is none, or fixed. */
    readonly settings: readonly string[]
    /** How often; the slot of time that the window cuts counts in proportion. */
    readonly count: number
    /** When it was last counted, at most 2 s after it happened. */
    readonly last_at: string
  }[]
}

export type ListUsesRecord = {
  /** The minute in which it was counted. */
  readonly minute: string
  /** The agent of the tokens. Null: they are no tokens of this service, or of several agents. */
  readonly agent_id: string | null
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
  /** The API key of the resource server. Null: all beyond 100 pairs of the minute together. */
  readonly api_key_id: string | null
  readonly api_key_name: string | null
  /** Whether the tokens are for other audiences than the API key may see: it was answered that they are inactive. */
  readonly outside_audiences: boolean
  /** How often tokens were introspected. */
  readonly introspections: number
  /** How many of these were answered with active. */
  readonly active: number
  /** How many of these were of tokens that had ended. */
  readonly after_end: number
  /** Tokens that followers of the revocation feed say they accepted, beside introspections. */
  readonly uses: number
  readonly first_used_at: string
  readonly last_used_at: string
}

export type ListUsesAfterEndRecord = {
  readonly token_id: string
  /** Null: of no agent that is known. */
  readonly agent_id: string | null
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
  /** The API key of the resource server that introspected it. */
  readonly api_key_id: string
  readonly api_key_name: string
  /** Whether the tokens are for other audiences than the API key may see: it was answered that they are inactive. */
  readonly outside_audiences: boolean
  /** Whether it had only expired; false: something ended it earlier. */
  readonly expired: boolean
  /** How often it was introspected after its end. */
  readonly count: number
  readonly first_used_at: string
  readonly last_used_at: string
}

export type ListUsesPage = {
  readonly data: readonly ListUsesRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type ListUsesAfterEndPage = {
  readonly data: readonly ListUsesAfterEndRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type ListAgentUsageQuery = {
  /** Agents, at most. */
  readonly limit?: number | undefined
  /** Only these agents, also where they asked for no token; may repeat. */
  readonly agent_id?: readonly string[] | undefined
}

export type ListRefusedRequestsQuery = {
  /** The last hour, or the last day. */
  readonly over?: '1h' | '24h' | undefined
  /** Only what this agent asked for. */
  readonly agent_id?: string | undefined
  /** Rows of `data`, at most. */
  readonly limit?: number | undefined
}

export type ListUsesQuery = {
  /** Only tokens of this agent. */
  readonly agent_id?: string | undefined
  /** Only through this API key. */
  readonly api_key_id?: string | undefined
  /** Only minutes that began then or later. */
  readonly since?: string | undefined
  /** Only minutes that began earlier. */
  readonly before?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type ListUsesAfterEndQuery = {
  /** Only this token. */
  readonly token_id?: string | undefined
  /** Only tokens of this agent. */
  readonly agent_id?: string | undefined
  /** Only through this API key. */
  readonly api_key_id?: string | undefined
  /** Only tokens that were last used then or later. */
  readonly since?: string | undefined
  /** Only tokens that were last used earlier. */
  readonly before?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type ShowUsageSeriesQuery = {
  /** `1h`: the last 60 minutes, minute by minute; `24h`: the last 24 hours, hour by hour. */
  readonly over?: '1h' | '24h' | undefined
  /** Only what this agent asked for, and only its tokens. */
  readonly agent_id?: string | undefined
}
