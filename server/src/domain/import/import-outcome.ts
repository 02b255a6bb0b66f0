// The outcome for each agent of an import, and its form on the wire.
import { agentRecord } from '../clients/agent-record.ts'
import type { Agent } from '../clients/agent.ts'
import { IMPORT_REASONS, type ImportReason, isSkipped } from './import-reason.ts'

/** `kept`: the secret works here. `converted_at_first_use`: only its hash is known. `new`: the document did not contain it. */
export type ImportedSecret = 'kept' | 'converted_at_first_use' | 'new'

export type ClientOutcome = { readonly clientId: string } & (
  | {
      readonly outcome: 'imported'
      readonly agent: Agent
      readonly secret: ImportedSecret
      /** A new secret, shown only this once; null in a trial. */
      readonly clientSecret: string | null
    }
  | { readonly outcome: 'exists' }
  | { readonly outcome: 'refused'; readonly reason: ImportReason }
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
} as const

const refusedOutcome = (clientId: string, reason: ImportReason) =>
  ({
    ...NOTHING,
    client_id: clientId,
    outcome: 'refused',
    reason,
    description: IMPORT_REASONS[reason],
  }) as const

/** The outcome of a client that is not sent to the service. */
export const rejectedOutcome = (clientId: string, reason: ImportReason) => ({
  ...refusedOutcome(clientId, reason),
  outcome: isSkipped(reason) ? 'skipped' : 'refused',
})

export const formatOutcome = (one: ClientOutcome, isTrial: boolean) => {
  if (one.outcome === 'refused') return refusedOutcome(one.clientId, one.reason)
  const known = { ...NOTHING, client_id: one.clientId, outcome: one.outcome }
  if (one.outcome === 'exists') return known
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
  }
}
