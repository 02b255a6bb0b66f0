// The outcome for each client of an import document, and its form on the wire.
import { agentRecord } from '../clients/agent-record.ts'
import type { Agent } from '../clients/agent.ts'
import type { ImportPlan } from './import-plan.ts'
import { IMPORT_REASONS, type ImportReason } from './import-reason.ts'

/** `kept`: the secret works here. `converted_at_first_use`: only its hash is known. `new`: the document did not contain it. */
export type ImportedSecret = 'kept' | 'converted_at_first_use' | 'new'

export type ClientOutcome = { readonly clientId: string } & (
  | {
      readonly outcome: 'imported'
      readonly agent: Agent
      readonly secret: ImportedSecret
      /** A new secret, shown only this once; null in a trial. */
      readonly clientSecret: string | null
      readonly plan: ImportPlan
    }
  | { readonly outcome: 'exists' }
  | { readonly outcome: 'skipped' | 'refused'; readonly reason: ImportReason }
)

const NOTHING = {
  reason: null,
  description: null,
  agent_id: null,
  name: null,
  owner: null,
  secret: null,
  client_secret: null,
  scope: null,
  default_scope: null,
  resources: [],
  disabled: false,
  scopes_left_out: [],
  audiences_left_out: [],
} as const

export const formatOutcome = (one: ClientOutcome, isTrial: boolean) => {
  const known = { ...NOTHING, client_id: one.clientId, outcome: one.outcome }
  if (one.outcome === 'exists') return known
  if (one.outcome !== 'imported') return { ...known, reason: one.reason, description: IMPORT_REASONS[one.reason] }
  const { agent_id, name, owner, scope, default_scope, resources, disabled_at } = agentRecord(one.agent)
  return {
    ...known,
    agent_id: isTrial ? null : agent_id,
    name,
    owner,
    secret: one.secret,
    client_secret: one.clientSecret,
    scope,
    default_scope,
    resources,
    disabled: disabled_at !== null,
    scopes_left_out: one.plan.scopesLeftOut,
    audiences_left_out: one.plan.audiencesLeftOut,
  }
}
