// Made by packages/client/generate.ts from the rows of api/: change those, and run it.
import type { Actor } from './actor.ts'

export type TokenRecord = {
  /** The jti of the token. */
  readonly id: string
  readonly agent_id: string
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
  readonly client_id: string
  /** The secret with which the token was got. */
  readonly credential_id: string
  readonly scope: string
  readonly audience: readonly string[]
  /** The key that signed the token. */
  readonly kid: string
  readonly issued_at: string
  readonly expires_at: string
  /** On whose behalf the token acts: the agent of the root of its lineage, or the subject of a trusted issuer for whom that was got. */
  readonly subject:
    | {
        readonly agent_id: string
        readonly agent_name: string | null
      }
    | {
        /** The alias under which an administrator trusts the issuer. */
        readonly issuer: string
        /** What the issuer calls itself. */
        readonly iss: string
        readonly sub: string
      }
  /** The token that it was got for. Null for an API key that is limited to other audiences than that token has. */
  readonly parent_id: string | null
  /** The first of its lineage: itself where it has no parent. Null for an API key that is limited to other audiences than that token has. */
  readonly root_id: string | null
  /** How many ancestors it has. */
  readonly depth: number
  /** Ids of the agents that act for the subject, the last one first. */
  readonly actors: readonly string[]
  /** Their names, in the same order. */
  readonly actor_names: readonly (string | null)[]
}

export type EndedTokenRecord = {
  /** The jti of the token. */
  readonly id: string
  readonly agent_id: string
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
  readonly client_id: string
  /** The secret with which the token was got. */
  readonly credential_id: string
  readonly scope: string
  readonly audience: readonly string[]
  /** The key that signed the token. */
  readonly kid: string
  readonly issued_at: string
  readonly expires_at: string
  /** On whose behalf the token acts: the agent of the root of its lineage, or the subject of a trusted issuer for whom that was got. */
  readonly subject:
    | {
        readonly agent_id: string
        readonly agent_name: string | null
      }
    | {
        /** The alias under which an administrator trusts the issuer. */
        readonly issuer: string
        /** What the issuer calls itself. */
        readonly iss: string
        readonly sub: string
      }
  /** The token that it was got for. Null for an API key that is limited to other audiences than that token has. */
  readonly parent_id: string | null
  /** The first of its lineage: itself where it has no parent. Null for an API key that is limited to other audiences than that token has. */
  readonly root_id: string | null
  /** How many ancestors it has. */
  readonly depth: number
  /** Ids of the agents that act for the subject, the last one first. */
  readonly actors: readonly string[]
  /** Their names, in the same order. */
  readonly actor_names: readonly (string | null)[]
  /** For an expired token the time of its expiry. */
  readonly ended_at: string
  /** One of an open set of names in lower snake case. */
  readonly termination_reason: string
  /** Who ended the token; null where only time did. */
  readonly ended_by: Actor | null
  readonly note: string | null
  /** The revocation of many tokens that ended this one. */
  readonly revocation_id: string | null
  /** Where the reason is ancestor_ended, the token whose end this is. Null for an API key that is limited to other audiences than that token has. */
  readonly ancestor_id: string | null
}

export type Count = {
  readonly count: number
  /** False: there are at least so many. */
  readonly exact: boolean
}

export type ShowTokenAnswer = {
  /** The jti of the token. */
  readonly id: string
  readonly agent_id: string
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
  readonly client_id: string
  /** The secret with which the token was got. */
  readonly credential_id: string
  readonly scope: string
  readonly audience: readonly string[]
  /** The key that signed the token. */
  readonly kid: string
  readonly issued_at: string
  readonly expires_at: string
  /** On whose behalf the token acts: the agent of the root of its lineage, or the subject of a trusted issuer for whom that was got. */
  readonly subject:
    | {
        readonly agent_id: string
        readonly agent_name: string | null
      }
    | {
        /** The alias under which an administrator trusts the issuer. */
        readonly issuer: string
        /** What the issuer calls itself. */
        readonly iss: string
        readonly sub: string
      }
  /** The token that it was got for. Null for an API key that is limited to other audiences than that token has. */
  readonly parent_id: string | null
  /** The first of its lineage: itself where it has no parent. Null for an API key that is limited to other audiences than that token has. */
  readonly root_id: string | null
  /** How many ancestors it has. */
  readonly depth: number
  /** Ids of the agents that act for the subject, the last one first. */
  readonly actors: readonly string[]
  /** Their names, in the same order. */
  readonly actor_names: readonly (string | null)[]
  readonly state: 'active' | 'ended'
  /** For an expired token the time of its expiry. */
  readonly ended_at: string | null
  /** One of an open set of names in lower snake case. */
  readonly termination_reason: string | null
  /** Who ended the token; null where only time did. */
  readonly ended_by: Actor | null
  readonly note: string | null
  /** The revocation of many tokens that ended this one. */
  readonly revocation_id: string | null
  /** Where the reason is ancestor_ended, the token whose end this is. Null for an API key that is limited to other audiences than that token has. */
  readonly ancestor_id: string | null
}

export type CountHistoryAnswer = {
  readonly count: number
  /** False: there are at least so many. */
  readonly exact: boolean
  /** Names in the filter that are not known, perhaps mistyped: nothing can match them. Absent where all are. */
  readonly unknown?: readonly string[] | undefined
}

export type RevokeTokenByIdAnswer = {
  /** The jti of the token. */
  readonly id: string
  readonly agent_id: string
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
  readonly client_id: string
  /** The secret with which the token was got. */
  readonly credential_id: string
  readonly scope: string
  readonly audience: readonly string[]
  /** The key that signed the token. */
  readonly kid: string
  readonly issued_at: string
  readonly expires_at: string
  /** On whose behalf the token acts: the agent of the root of its lineage, or the subject of a trusted issuer for whom that was got. */
  readonly subject:
    | {
        readonly agent_id: string
        readonly agent_name: string | null
      }
    | {
        /** The alias under which an administrator trusts the issuer. */
        readonly issuer: string
        /** What the issuer calls itself. */
        readonly iss: string
        readonly sub: string
      }
  /** The token that it was got for. Null for an API key that is limited to other audiences than that token has. */
  readonly parent_id: string | null
  /** The first of its lineage: itself where it has no parent. Null for an API key that is limited to other audiences than that token has. */
  readonly root_id: string | null
  /** How many ancestors it has. */
  readonly depth: number
  /** Ids of the agents that act for the subject, the last one first. */
  readonly actors: readonly string[]
  /** Their names, in the same order. */
  readonly actor_names: readonly (string | null)[]
  readonly state: 'active' | 'ended'
  /** For an expired token the time of its expiry. */
  readonly ended_at: string | null
  /** One of an open set of names in lower snake case. */
  readonly termination_reason: string | null
  /** Who ended the token; null where only time did. */
  readonly ended_by: Actor | null
  readonly note: string | null
  /** The revocation of many tokens that ended this one. */
  readonly revocation_id: string | null
  /** Where the reason is ancestor_ended, the token whose end this is. Null for an API key that is limited to other audiences than that token has. */
  readonly ancestor_id: string | null
  /** Whether this request did it; false: it was so before, and the note is kept nowhere. */
  readonly changed: boolean
}

export type ExplainTokenAnswer = {
  /** `active`; or why the token is not: the reason of its end, or of a text `malformed`, `foreign`, `unknown`, `other_spelling`. An open set. */
  readonly code: string
  /** Whether introspection reports the token, or the text, as active. */
  readonly active: boolean
  /** The time of the store; null where no such token was found. */
  readonly explained_at: string | null
  /** In the order in which they are made. After a failed check of the text, or a recorded end, none is made. */
  readonly checks: readonly {
    readonly check:
      | 'form'
      | 'issuer'
      | 'record'
      | 'spelling'
      | 'end'
      | 'expiry'
      | 'service'
      | 'agent'
      | 'credential'
      | 'signing_key'
      | 'trusted_issuer'
      | 'subject'
      | 'cut_offs'
      | 'ancestor'
    readonly outcome: 'passed' | 'failed'
    readonly evidence: {
      /** `issuer`: the issuer of this service. */
      readonly issuer?: string | undefined
      /** The agent, credential, signing key, token or ancestor that was looked up. Of an ancestor: Null for an API key that is limited to other audiences than that token has. */
      readonly id?: string | null | undefined
      /** `spelling`, failed: whether the text has a signature of the key that signed the token. */
      readonly signed?: boolean | undefined
      /** `expiry`: the clock of the store. */
      readonly now?: string | undefined
      readonly expires_at?: string | undefined
      /** The number that the token carries as the claim `seq`. */
      readonly seq?: number | undefined
      /** Tokens with a smaller number than this have ended. */
      readonly ended_seq?: number | undefined
      /** How many open cut-offs the token was compared with. */
      readonly cut_offs?: number | undefined
      /** `ancestor`: 1 for the parent. */
      readonly distance?: number | undefined
      /** The act by which the check fails, where it is kept. */
      readonly act?:
        | {
            /** What it ended tokens with. */
            readonly reason: string
            readonly at: string
            /** Null where the caller may not see it. */
            readonly by: Actor | null
            readonly note: string | null
            readonly revocation_id: string | null
          }
        | undefined
    }
  }[]
  /** The token; null where the text is none of this service. */
  readonly token: ShowTokenAnswer | null
}

export type ListHistoryPage = {
  readonly data: readonly EndedTokenRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
  /** Names in the filter that are not known, perhaps mistyped: nothing can match them. Absent where all are. */
  readonly unknown?: readonly string[] | undefined
}

export type ListLineagePage = {
  readonly data: readonly (
    | ShowTokenAnswer
    | {
        readonly id: string
        /** Retention removed it; its descendants still name it. */
        readonly removed: true
      }
  )[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type ListTokensPage = {
  readonly data: readonly TokenRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type CountHistoryQuery = {
  /** Only tokens of this agent. */
  readonly agent_id?: string | undefined
  /** Only tokens of this client. */
  readonly client_id?: string | undefined
  /** Only tokens that carry this item. */
  readonly scope?: string | undefined
  /** Only tokens issued then or later. */
  readonly issued_after?: string | undefined
  /** Only tokens issued earlier. */
  readonly issued_before?: string | undefined
  /** Only tokens that act on behalf of this agent, or of this subject of a trusted issuer: `ALIAS:SUB`. */
  readonly subject?: string | undefined
  /** Only tokens that were got for this token. */
  readonly parent_id?: string | undefined
  /** Only this token, and all that descend from it. */
  readonly root_id?: string | undefined
  /** Only tokens that were got with this credential. Pages may be short, even empty, with a `next_cursor`. */
  readonly credential_id?: string | undefined
  /** Only tokens that this key signed. Pages may be short, even empty, with a `next_cursor`. */
  readonly kid?: string | undefined
  /** Only tokens for this audience, among others perhaps, in whatever spelling of the URI. Pages may be short, even empty, with a `next_cursor`. */
  readonly audience?: string | undefined
  /** Only tokens of the agents that have this owner now. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly owner?: string | undefined
  /** Only tokens of the agents that have this label now, `key=value`; may repeat. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly label?: readonly string[] | undefined
  /** Only tokens of the agent that has this name now; in history also of those that had it when they were deleted. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly agent_name?: string | undefined
  /** Only tokens that ended for one of these reasons, separated by commas: expired, manual_revocation, bulk_revocation, self_revocation, agent_disabled, agent_deleted, credential_revoked, secret_leaked, key_compromise, scope_removed, audience_removed, superseded, undelivered, restored, ancestor_ended, actor_removed, issuer_disabled, issuer_deleted, subject_blocked, agent_expired. Others are named in `unknown`. */
  readonly termination_reason?: string | undefined
  /** Only tokens that ended then or later. */
  readonly ended_after?: string | undefined
  /** Only tokens that ended earlier. */
  readonly ended_before?: string | undefined
  /** Only tokens that this one ended: the `sub` of an operator, the `id` of a client, an API key or a user at the terminal, or `system` for the service itself. Pages may be short, even empty, with a `next_cursor`. */
  readonly ended_by?: string | undefined
  /** Only tokens that this revocation of many tokens ended, by themselves or with an ancestor. */
  readonly revocation_id?: string | undefined
}

export type CountTokensQuery = {
  /** Only tokens of this agent. */
  readonly agent_id?: string | undefined
  /** Only tokens of this client. */
  readonly client_id?: string | undefined
  /** Only tokens that carry this item. */
  readonly scope?: string | undefined
  /** Only tokens issued then or later. */
  readonly issued_after?: string | undefined
  /** Only tokens issued earlier. */
  readonly issued_before?: string | undefined
  /** Only tokens that act on behalf of this agent, or of this subject of a trusted issuer: `ALIAS:SUB`. */
  readonly subject?: string | undefined
  /** Only tokens that were got for this token. */
  readonly parent_id?: string | undefined
  /** Only this token, and all that descend from it. */
  readonly root_id?: string | undefined
  /** Only tokens that were got with this credential. Pages may be short, even empty, with a `next_cursor`. */
  readonly credential_id?: string | undefined
  /** Only tokens that this key signed. Pages may be short, even empty, with a `next_cursor`. */
  readonly kid?: string | undefined
  /** Only tokens for this audience, among others perhaps, in whatever spelling of the URI. Pages may be short, even empty, with a `next_cursor`. */
  readonly audience?: string | undefined
  /** Only tokens of the agents that have this owner now. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly owner?: string | undefined
  /** Only tokens of the agents that have this label now, `key=value`; may repeat. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly label?: readonly string[] | undefined
  /** Only tokens of the agent that has this name now; in history also of those that had it when they were deleted. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly agent_name?: string | undefined
}

export type ListHistoryQuery = {
  /** Only tokens of this agent. */
  readonly agent_id?: string | undefined
  /** Only tokens of this client. */
  readonly client_id?: string | undefined
  /** Only tokens that carry this item. */
  readonly scope?: string | undefined
  /** Only tokens issued then or later. */
  readonly issued_after?: string | undefined
  /** Only tokens issued earlier. */
  readonly issued_before?: string | undefined
  /** Only tokens that act on behalf of this agent, or of this subject of a trusted issuer: `ALIAS:SUB`. */
  readonly subject?: string | undefined
  /** Only tokens that were got for this token. */
  readonly parent_id?: string | undefined
  /** Only this token, and all that descend from it. */
  readonly root_id?: string | undefined
  /** Only tokens that were got with this credential. Pages may be short, even empty, with a `next_cursor`. */
  readonly credential_id?: string | undefined
  /** Only tokens that this key signed. Pages may be short, even empty, with a `next_cursor`. */
  readonly kid?: string | undefined
  /** Only tokens for this audience, among others perhaps, in whatever spelling of the URI. Pages may be short, even empty, with a `next_cursor`. */
  readonly audience?: string | undefined
  /** Only tokens of the agents that have this owner now. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly owner?: string | undefined
  /** Only tokens of the agents that have this label now, `key=value`; may repeat. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly label?: readonly string[] | undefined
  /** Only tokens of the agent that has this name now; in history also of those that had it when they were deleted. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly agent_name?: string | undefined
  /** Only tokens that ended for one of these reasons, separated by commas: expired, manual_revocation, bulk_revocation, self_revocation, agent_disabled, agent_deleted, credential_revoked, secret_leaked, key_compromise, scope_removed, audience_removed, superseded, undelivered, restored, ancestor_ended, actor_removed, issuer_disabled, issuer_deleted, subject_blocked, agent_expired. Others are named in `unknown`. */
  readonly termination_reason?: string | undefined
  /** Only tokens that ended then or later. */
  readonly ended_after?: string | undefined
  /** Only tokens that ended earlier. */
  readonly ended_before?: string | undefined
  /** Only tokens that this one ended: the `sub` of an operator, the `id` of a client, an API key or a user at the terminal, or `system` for the service itself. Pages may be short, even empty, with a `next_cursor`. */
  readonly ended_by?: string | undefined
  /** Only tokens that this revocation of many tokens ended, by themselves or with an ancestor. */
  readonly revocation_id?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type ListLineageQuery = {
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type ListTokensQuery = {
  /** Only tokens of this agent. */
  readonly agent_id?: string | undefined
  /** Only tokens of this client. */
  readonly client_id?: string | undefined
  /** Only tokens that carry this item. */
  readonly scope?: string | undefined
  /** Only tokens issued then or later. */
  readonly issued_after?: string | undefined
  /** Only tokens issued earlier. */
  readonly issued_before?: string | undefined
  /** Only tokens that act on behalf of this agent, or of this subject of a trusted issuer: `ALIAS:SUB`. */
  readonly subject?: string | undefined
  /** Only tokens that were got for this token. */
  readonly parent_id?: string | undefined
  /** Only this token, and all that descend from it. */
  readonly root_id?: string | undefined
  /** Only tokens that were got with this credential. Pages may be short, even empty, with a `next_cursor`. */
  readonly credential_id?: string | undefined
  /** Only tokens that this key signed. Pages may be short, even empty, with a `next_cursor`. */
  readonly kid?: string | undefined
  /** Only tokens for this audience, among others perhaps, in whatever spelling of the URI. Pages may be short, even empty, with a `next_cursor`. */
  readonly audience?: string | undefined
  /** Only tokens of the agents that have this owner now. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly owner?: string | undefined
  /** Only tokens of the agents that have this label now, `key=value`; may repeat. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly label?: readonly string[] | undefined
  /** Only tokens of the agent that has this name now; in history also of those that had it when they were deleted. At most 1000 agents may match, in history those that were deleted among them. Pages may be short, even empty, with a `next_cursor`. */
  readonly agent_name?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type RevokeTokenByIdBody = {
  readonly reason?: 'manual_revocation' | 'secret_leaked' | 'key_compromise' | undefined
  /** For those who read the audit log and the history later: 1 to 500 printable characters without spaces around them. */
  readonly note?: string | undefined
}

export type ExplainTokenTextBody = {
  /** The token itself. It is neither logged nor stored. */
  readonly token: string
}
