// What became of each client of a document, as the API and the command line show it.
import { agentRecord } from '../clients/agent-record.ts'
import type { ClientOutcome } from './import-outcome.ts'
import { IMPORT_REASONS } from './import-reason.ts'

const NOTHING = {
  reason: null,
  description: null,
  agent_id: null,
  name: null,
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
  const { agent_id, name, scope, default_scope, resources, disabled_at } = agentRecord(one.agent)
  return {
    ...known,
    agent_id: isTrial ? null : agent_id,
    name,
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
