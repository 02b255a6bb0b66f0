// The agents whose tokens a list is asked for by owner, labels or name: selected first, for each page anew.
import type { Administrator } from '../../domain/caller.ts'
import { type AgentMarks, isUnmarked } from '../../domain/ledger/selection.ts'
import type { TokenFilters } from '../../domain/lists/page.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { describeTooMany, mayKnowSelection, refuseSelection } from '../agents/selection.ts'

/** Filters as a request names them. */
export type Asked<F extends TokenFilters> = Omit<F, 'agents'> & AgentMarks

const MEMBERS = 'owner, label, agent_name'

type Selecting = {
  readonly reader: Administrator
  /** Deleted agents have no live tokens. */
  readonly among: 'kept' | 'ever'
}

/** The filters with the agents that they select. */
export const selectAgents = async <F extends AgentMarks>(
  ports: Pick<Ports, 'ledger'>,
  filters: F,
  { reader, among }: Selecting,
): Promise<OrRefusal<F & Pick<TokenFilters, 'agents'>>> => {
  if (isUnmarked(filters)) return { ...filters, agents: null }
  if (!mayKnowSelection(reader)) return refuseSelection(MEMBERS)
  const { owner, labels, agentName } = filters
  const agents = await ports.ledger.selectAgents({ owner, labels, agentName }, among)
  return agents === 'too_many_agents' ? refuse('invalid_request', describeTooMany(MEMBERS)) : { ...filters, agents }
}
