// Changes an agent: what is not named stays. What it loses ends the tokens that carry it, in the same transaction.
import type { Agent } from '../../domain/clients/agent.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { AgentChange } from '../../domain/clients/change-agent.ts'
import { refuseClaimNames } from '../../domain/clients/claim-names.ts'
import { refuseOperatorsAudience } from '../../domain/clients/issuer-entries.ts'
import type { Counted } from '../../domain/ledger/ends.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { AdministrationPorts, Ports } from '../../ports/ports.ts'
import { refuseAgent } from './create-agent.ts'
import { refuseUnknownAgent } from './read-agents.ts'

/** Null where the default audience of the service is not known, as at the terminal. */
type ChangePorts = Pick<Ports, 'agents' | 'dryRuns'> &
  Pick<AdministrationPorts, 'operators'> & {
    readonly profile: Pick<AdministrationPorts['profile'], 'claimNames' | 'defaultAudience'>
  }

export type ChangeRequest = {
  readonly change: AgentChange
  /** Counts what would end, and changes nothing. */
  readonly dryRun: boolean
}

/**
 * The agent as it is now. From the acknowledgement on no token is active that carries a scope or an audience which the
 * change took from it (`scope_removed`, `audience_removed`); widening it again brings none back.
 */
export const changeAgent = async (
  ports: ChangePorts,
  origin: Origin,
  agentId: string,
  { change, dryRun }: ChangeRequest,
): Promise<OrRefusal<Agent | Counted>> => {
  if (!isUuid(agentId)) return refuseUnknownAgent(agentId)
  const misnamed = refuseClaimNames(ports.profile.claimNames, change)
  if (misnamed !== undefined) return misnamed
  const audiences = ports.operators.audiences()
  if (refuseOperatorsAudience(audiences, change) !== undefined) {
    const refused = refuseOperatorsAudience(audiences, change, await ports.agents.show(agentId))
    if (refused !== undefined) return refused
  }
  const wanted = { agentId, change, serviceAudience: ports.profile.defaultAudience }
  const found = dryRun
    ? await ports.dryRuns.changeAgent(wanted)
    : await ports.agents.change(wanted, actBy(origin, 'agent.change'))
  if (found === 'unknown') return refuseUnknownAgent(agentId)
  if (typeof found === 'string') return refuseAgent(ports, found, change.name)
  return isRefused(found) || !('isExact' in found) ? found : { ends: found }
}
