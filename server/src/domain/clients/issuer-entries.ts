// What of an agent names trusted issuers: entries of its `acts_for`, and its client ids there. Only what is added is checked, so
// that an issuer which is deleted stands in the way of no other change.
import { hasResource } from '../../../../api/values/audience.ts'
import { issuerIn } from '../../../../api/values/delegation.ts'
import { refuse } from '../refusal.ts'
import type { AgentChange, AgentSettings } from './change-agent.ts'

type Refused = ReturnType<typeof refuse>

/** The settings that name issuers. */
export type IssuerEntries = Pick<AgentSettings, 'actsFor' | 'issuerClients'>

export type IssuerClient = { readonly alias: string; readonly client: string }

/** The aliases that `after` names anew, each once, and the client ids that it has anew. */
export const addedEntries = (before: IssuerEntries, after: IssuerEntries) => {
  const actsFor = after.actsFor.filter(entry => !before.actsFor.includes(entry))
  const clients: readonly IssuerClient[] = Object.entries(after.issuerClients)
    .filter(([alias, client]) => before.issuerClients[alias] !== client)
    .map(([alias, client]) => ({ alias, client }))
  const named = actsFor.flatMap(entry => issuerIn(entry)?.issuer ?? [])
  return { aliases: [...new Set([...named, ...clients.map(({ alias }) => alias)])], clients }
}

/** Why the store adds no such entry. `agentId` is the other agent. */
export type EntryObstacle =
  | { readonly why: 'issuer_unknown'; readonly alias: string }
  | { readonly why: 'issuer_client_taken' | 'issuer_client_of_agent'; readonly alias: string; readonly agentId: string }

/** A client id is not repeated: it may be a secret in the wrong place. */
export const refuseEntry = (obstacle: EntryObstacle): Refused => {
  const { why, alias } = obstacle
  if (why === 'issuer_unknown') {
    return refuse(
      'invalid_request',
      `acts_for or issuer_clients names ${alias}, but no trusted issuer has this alias; GET /api/v1/issuers lists them.`,
    )
  }
  const { agentId } = obstacle
  if (why === 'issuer_client_taken') {
    return refuse(
      'already_exists',
      `issuer_clients.${alias} is that of the agent ${agentId}; give this agent a client of its own there.`,
    )
  }
  return refuse(
    'invalid_request',
    `issuer_clients.${alias} is the agent_id or client_id of the agent ${agentId}, which may be deleted; give this agent a client of its own there.`,
  )
}

const refuseAudience = (code: 'invalid_request' | 'invalid_target', member: string): Refused =>
  refuse(
    code,
    `${member} is the audience of the operators' JWTs, MINTMARK_IDP_AUDIENCE: no agent may exchange these; name another one.`,
  )

type Recipients = Pick<AgentSettings, 'receives' | 'issuerClients'>

/**
 * Refuses as a new recipient what `audiences` has: JWTs with which operators administer would be exchanged for tokens of the agent. One
 * that the agent has from before is no recipient either, as long as the setting is so.
 */
export const refuseOperatorsAudience = (
  audiences: readonly string[],
  { receives = [], issuerClients = {} }: AgentChange,
  before?: Recipients,
): Refused | undefined => {
  const added = receives.filter(one => before?.receives.includes(one) !== true)
  if (audiences.some(one => hasResource(added, one))) return refuseAudience('invalid_target', 'An entry of receives')
  const found = Object.entries(issuerClients).find(
    ([alias, client]) => audiences.includes(client) && before?.issuerClients[alias] !== client,
  )
  return found === undefined ? undefined : refuseAudience('invalid_request', `issuer_clients.${found[0]}`)
}
