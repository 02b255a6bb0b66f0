// Made by packages/client/generate.ts from the rows of api/: change those, and run it.
import type { Actor } from './actor.ts'

export type ShowRevocationAnswer = {
  readonly id: string
  /** It asked for no condition: every token was to end. */
  readonly all: boolean
  readonly agent_id: string | null
  readonly credential_id: string | null
  readonly scope: string | null
  readonly audience: string | null
  readonly kid: string | null
  readonly issued_before: string | null
  /** The root of the tree that it ends. */
  readonly lineage: string | null
  /** ALIAS:SUB: it ended the tokens that act for this subject of a trusted issuer. */
  readonly subject: string | null
  /** The alias of a trusted issuer: it ended the tokens that act for its subjects. */
  readonly issuer: string | null
  /** It ended the tokens of agents of this owner. */
  readonly owner: string | null
  /** Of agents with each of these labels. */
  readonly labels: Readonly<Record<string, string>> | null
  /** Whether those agents were disabled with it. */
  readonly disable_agents: boolean
  /** How many agents its owner and labels matched; null where it names neither. */
  readonly agents: number | null
  readonly reason: string
  readonly note: string | null
  readonly created_by: Actor
  /** When its tokens ended. */
  readonly created_at: string
  /** Open while records follow; its tokens are dead in either state. */
  readonly state: 'open' | 'closed'
  /** Tokens whose records stand in history as ended by it. */
  readonly tokens_moved: number
  /** Which verifiers hold it. Null: that could not be read, and the revocation is in force all the same. */
  readonly verifiers: {
    /** Verifiers that were heard of in the last 300 s. */
    readonly total: number
    /** Those of them that reported this revocation, or a later position of the feed. */
    readonly holding: number
    /** Those that did not, longest unheard of first, at most 100. */
    readonly missing: readonly {
      readonly name: string
      readonly api_key_id: string
      readonly stale_seconds: number
    }[]
  } | null
}

export type CreateRevocationBody = {
  /** A UUID of your own: sent again with the same conditions, nothing more ends. */
  readonly id?: string
  /** Every token; instead of any condition. */
  readonly all?: true
  readonly agent_id?: string
  /** The secret with which the tokens were got. */
  readonly credential_id?: string
  /** Tokens that carry this item; resource:* for any item of the resource. */
  readonly scope?: string
  readonly audience?: string
  /** Tokens that this key signed. */
  readonly kid?: string
  /** Tokens issued before this time, which is not in the future. */
  readonly issued_before?: string
  /** The id of a token, live or ended: its whole tree, from the root on. */
  readonly lineage?: string
  /** Tokens that act for this subject of a trusted issuer: ALIAS:SUB, or `iss_sub` of RFC 9493. */
  readonly subject?:
    | string
    | {
        readonly format: 'iss_sub'
        readonly iss: string
        readonly sub: string
      }
  /** The alias of a trusted issuer: tokens that act for any of its subjects. */
  readonly issuer?: string
  /** Tokens of the agents of this owner, at most 1000 agents. */
  readonly owner?: string
  /** Tokens of the agents with each of these labels, at most 1000 agents. */
  readonly labels?: Readonly<Record<string, string>>
  readonly reason?: 'bulk_revocation' | 'secret_leaked' | 'key_compromise'
  /** For those who read the audit log and the history later: 1 to 500 printable characters without spaces around them. */
  readonly note?: string
  /** Disable the agents that owner and labels match too; it takes the right to stop agents. */
  readonly disable_agents?: boolean
  /** Of a dry run with the same conditions by the same caller, 120 s ago at most: end no more than it counted, else 409. */
  readonly plan_id?: string
  /** With plan_id: how many tokens more may end that were issued since the dry run; 0 unless given. */
  readonly max_extra?: number
  /** Count what would end, and end nothing. */
  readonly dry_run?: boolean
}
