// Reads which agents use the service, for an operator who looks for the one that runs away, and the state of the whole.
import type { Administrator } from '../domain/caller.ts'
import type { ServiceStatus } from '../domain/service-status.ts'
import type { AgentUsage } from '../domain/clients/agent-usage.ts'
import type { Ports } from '../ports/ports.ts'

/** Those with the most tokens of the last minute first. */
export const listAgentUsage = async (
  { usage }: Pick<Ports, 'usage'>,
  _caller: Administrator,
  limit: number,
): Promise<{ readonly usages: readonly AgentUsage[] }> => ({ usages: await usage.list(limit) })

/** The state of the whole service. */
export const showStatus = ({ usage }: Pick<Ports, 'usage'>, _caller: Administrator): Promise<ServiceStatus> =>
  usage.status()
