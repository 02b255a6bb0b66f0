// Records that files declare: agents, credentials and trusted issuers, which a named set of files manages.
import type { EndCount } from '../ledger/ends.ts'
import type { ClientTrust } from './client-trust.ts'
import type { AgentSettings } from './change-agent.ts'
import type { NewIssuer } from './trusted-issuer.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { ManagedAction, ManagedKind, ManagedRemark } from '../../../../api/values/managed.ts'

/** A record as a file has it; what that leaves out is the default. `newId` is for one that is not there yet. */
export type WantedRecord =
  | {
      readonly kind: 'agent'
      /** Null where it is known by its name. */
      readonly agentId: string | null
      readonly settings: AgentSettings
      readonly newId: string
    }
  | {
      readonly kind: 'credential'
      /** The agent, by its id or its name. */
      readonly agent: string
      readonly name: string
      readonly expiresAt: Milliseconds | null
      readonly trust: ClientTrust
      readonly newId: string
    }
  | { readonly kind: 'issuer'; readonly issuer: NewIssuer }
  | {
      /** What no file has any more. */
      readonly kind: 'removal'
      readonly of: ManagedKind
      /** An agent_id or credential_id; an issuer has its alias in its place. */
      readonly id: string
    }

export type Wanted<Kind extends WantedRecord['kind']> = Extract<WantedRecord, { readonly kind: Kind }>

/** Under which records are planned and applied. */
export type ManagedTerms = {
  /** `managed_by` of what is made, and of all that may be touched. */
  readonly managedBy: string
  /** Whether what others manage, or nobody does, may be taken over. */
  readonly adopt: boolean
  /** The audience of tokens if neither request nor agent names one; null if it is unknown. */
  readonly serviceAudience: string | null
}

/** What becomes of a record. */
export type PlannedRecord = {
  readonly kind: ManagedKind
  readonly action: ManagedAction
  /** Null before it is made; of an issuer its alias. */
  readonly id: string | null
  readonly name: string
  /** The name of the agent of a credential. */
  readonly agent: string | null
  /** The members that differ, as records have them: all of them where it is made or removed. */
  readonly before: object
  readonly after: object
  readonly remark: ManagedRemark | null
}

export type CountedRecord = PlannedRecord & {
  readonly ends: EndCount
  /** When it was decided, by the clock of the store. */
  readonly instant: Milliseconds
  /** What was decided, so that nothing else is done. */
  readonly digest: string
}

/** `managed_by`: "apply/" and the name of the set. */
export const managedByOf = (set: string): string => `apply/${set}`
