// Made by packages/client/generate.ts from the rows of api/: change those, and run it.
import type { Actor } from './actor.ts'

export type AuditRecord = {
  /** Its number: entries are numbered from 1 without a gap. */
  readonly n: number
  readonly at: string
  /** One of an open set of names. */
  readonly kind: string
  readonly actor: Actor
  /** The address that the request came from, or `unknown` where its connection had none any more; null for an act without a request. */
  readonly source: string | null
  readonly request_id: string | null
  /** The id of what was acted on. */
  readonly subject: string | null
  readonly note: string | null
  /** What the act did; its members are those of the kind. */
  readonly detail: Readonly<Record<string, unknown>>
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
}

export type CheckSealsAnswer = {
  /** `good`: what was checked is as it was sealed, and no more is sealed; `more`: what was checked is as it was sealed, and more seals follow; `broken`: something is not as it was sealed */
  readonly state: 'good' | 'more' | 'broken'
  /** The last seal that was checked, for the next `after_seal`. Null: see `broken`. */
  readonly seal: number | null
  /** The log is as it was up to this entry; 0: there is none. Null: see `broken`. */
  readonly entry: number | null
  /** The last entry that is sealed; 0: none. */
  readonly sealed_up_to: number
  /** Entries after it, counted up to 500. Null where more seals follow. */
  readonly unsealed: number | null
  readonly broken: {
    /** The first entry that is not as it was. */
    readonly entry: number
    /** What was done to it. */
    readonly tampering: 'changed' | 'removed' | 'added' | 'cut_off' | 'unsealed'
    /** How that shows, in a sentence. */
    readonly because: string
  } | null
}

export type ListRefusalsRecord = {
  /** The beginning of the minute. */
  readonly minute: string
  /** What was presented: the credentials of a client, an API key, or a JWT; `limit`: beyond a limit of its agent. */
  readonly way: 'client' | 'api_key' | 'operator' | 'limit'
  /** The client, where it exists. */
  readonly client_id: string | null
  /** The address, or `unknown` where the connection had none any more; null for all beyond what is counted apart in one minute. */
  readonly source: string | null
  readonly count: number
  /** This and `owner` are of the agent as it is now, or was when it was deleted. Null where the caller may not read agents, or there is none. */
  readonly agent_name: string | null
  readonly owner: string | null
}

export type ListAuditPage = {
  readonly data: readonly AuditRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
  /** Names in the filter that are not known, perhaps mistyped: nothing can match them. Absent where all are. */
  readonly unknown?: readonly string[] | undefined
}

export type ListRefusalsPage = {
  readonly data: readonly ListRefusalsRecord[]
  /** Null on the last page. A page before it may be short, even empty. */
  readonly next_cursor: string | null
}

export type CheckSealsQuery = {
  /** Only from the seal after this one on; without it, from the first. */
  readonly after_seal?: number | undefined
}

export type ListAuditQuery = {
  /** Only acts of this kind: agent.change, agent.create, agent.delete, agent.disable, agent.enable, agent.import, api_key.create, api_key.revoke, api_key.rotate, clock.reset, credential.convert, credential.create, credential.revoke, credential.rotate, issuer.change, issuer.create, issuer.delete, issuer.disable, issuer.enable, revocation.create, session.create, session.end, signing_key.compromise, signing_key.create, signing_key.drop, signing_key.import, signing_key.reencrypt, signing_key.retire, signing_key.rotate, store.accept, store.backup, store.restore, subject.block, subject.unblock, token.revoke, token.supersede. Another is named in `unknown`. */
  readonly kind?: string | undefined
  /** Only acts of this kind of actor. */
  readonly actor_type?: 'operator' | 'client' | 'api_key' | 'issuer' | 'cli' | 'system' | undefined
  /** Only acts of the client, the API key, the issuer or the user at the terminal of this id. */
  readonly actor_id?: string | undefined
  /** Only acts of operators of this identity provider. */
  readonly actor_iss?: string | undefined
  /** Only acts of the operator whom the identity provider calls so. */
  readonly actor_sub?: string | undefined
  /** Only acts on the agent, credential, key or token of this id, or on the subject ALIAS:SUB. */
  readonly subject?: string | undefined
  /** Only the act that ended the token of this id: on itself, on what it hangs on, or on all of the store. */
  readonly ended_token?: string | undefined
  /** Only acts of this request. */
  readonly request_id?: string | undefined
  /** Only acts of then or later. */
  readonly since?: string | undefined
  /** Only acts of earlier. */
  readonly before?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}

export type ListRefusalsQuery = {
  /** Only attempts as a client, with an API key, as an operator or an issuer with a JWT, or beyond a limit of an agent. */
  readonly way?: 'client' | 'api_key' | 'operator' | 'limit' | undefined
  /** Only attempts as this client. */
  readonly client_id?: string | undefined
  /** Only attempts from this address; `unknown`: from connections that had none any more. */
  readonly source?: string | undefined
  /** Only minutes that began then or later. */
  readonly since?: string | undefined
  /** Only minutes that began earlier. */
  readonly before?: string | undefined
  /** Records in a page, at most. */
  readonly limit?: number | undefined
  /** `next_cursor` of the page before, with the same filters. */
  readonly cursor?: string | undefined
}
