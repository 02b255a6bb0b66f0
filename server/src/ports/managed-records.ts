// Records that files declare, in the store.
import type { Act } from '../domain/audit/act.ts'
import type { CountedRecord, ManagedTerms, PlannedRecord, WantedRecord } from '../domain/clients/managed-record.ts'
import type { CountedPlan } from '../domain/ledger/plan.ts'
import type { KeyedPage, KeyedRequest } from '../domain/lists/page.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { ManagedKind } from '../../../api/values/managed.ts'

/**
 * Why nothing becomes of a record. `id_used`: an agent that is or was there has the id. `alias_used`: an issuer that is deleted had it.
 * `fixed`: what never changes of an issuer would.
 */
export type RecordObstacle =
  | {
      readonly why:
        | 'agent_unknown'
        | 'alias_used'
        | 'expired'
        | 'fixed'
        | 'id_used'
        | 'lifetimes_full'
        | 'name_taken'
        | 'too_many_credentials'
        | 'too_many_issuers'
    }
  | { readonly why: 'refused'; readonly refusal: Refusal }
  | { readonly why: 'not_managed'; readonly managedBy: string | null }
  | { readonly why: 'workload_taken'; readonly id: string; readonly agentId: string }
  | { readonly why: 'issuers_alike'; readonly alias: string }

/** A plan that what is done must not outgrow. */
export type RecordPlan = CountedPlan & {
  /** How many live tokens more may end that were issued after its instant. */
  readonly extraMax: number
}

/** What is declared beside a record, and will be there before it. An agent without an id is known by its name. */
export type Coming = {
  readonly agents: readonly { readonly id: string | null; readonly name: string }[]
  /** The names of the agents that get one; one for each credential. */
  readonly credentials: readonly string[]
  /** By their aliases. */
  readonly issuers: readonly string[]
}

export type ManagedRecord = {
  readonly kind: ManagedKind
  /** Its agent_id or credential_id; an issuer has its alias in its place. */
  readonly id: string
  readonly name: string
  /** The name of the agent of a credential. */
  readonly agent: string | null
}

export interface ManagedRecords {
  /** What would become of the record, once what is coming is there. */
  plan(wanted: WantedRecord, terms: ManagedTerms, coming: Coming): Promise<CountedRecord | RecordObstacle>
  /** Does what was planned, in one transaction, and nothing else. Without a plan it finds only whether nothing has to be done. */
  apply(
    wanted: WantedRecord,
    terms: ManagedTerms,
    plan: RecordPlan | null,
    act: Act,
  ): Promise<PlannedRecord | RecordObstacle | 'plan_missing' | 'plan_expired' | 'plan_outdated' | 'caller_ended'>
  /** What a set manages: credentials that are not revoked, agents and issuers that are not deleted. */
  list(request: KeyedRequest<{ readonly managedBy: string }>): Promise<KeyedPage<ManagedRecord>>
}
