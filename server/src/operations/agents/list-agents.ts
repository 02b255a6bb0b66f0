// Lists agents by name, a page at a time.
import type { Agent } from '../../domain/clients/agent.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { AgentFilters, ListName } from '../../domain/lists/page.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { readKeyedPage } from '../reading/read-keyed-page.ts'
import type { ListPage, ListRequest } from '../reading/read-page.ts'

const LIST: ListName = 'agents'

/** Asks nothing. */
export const EVERY_AGENT: AgentFilters = { disabled: null, owner: null, labels: [], namePrefix: null, search: null }

/** One page of the agents that pass the filters. */
export const listAgents = (
  ports: Pick<Ports, 'agents' | 'secrets'>,
  _caller: Administrator,
  request: ListRequest<AgentFilters>,
): Promise<OrRefusal<ListPage<Agent>>> => readKeyedPage(ports, LIST, request, page => ports.agents.list(page))
