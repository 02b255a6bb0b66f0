// Lists agents by name, a page at a time.
import type { Agent } from '../domain/agent.ts'
import type { Administrator } from '../domain/caller.ts'
import type { Ports } from '../ports.ts'

/** Agents in one page. */
export const AGENTS_PAGE = 100

/** The agents whose names follow `after`, at most {@link AGENTS_PAGE} of them; an incomplete page is the last. */
export const listAgents = (
  ports: Pick<Ports, 'agents'>,
  _caller: Administrator,
  after: string | null,
): Promise<readonly Agent[]> => ports.agents.list(after, AGENTS_PAGE)
