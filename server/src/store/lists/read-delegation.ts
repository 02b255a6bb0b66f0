// Who may act for an agent, and for whom it may act: one scan of the agents by name, of bounded length.
import type { Agent } from '../../domain/clients/agent.ts'
import { type Delegation, delegationBy, type DelegationPeer, type PeerList } from '../../domain/clients/delegation.ts'
import { AGENT_COLUMNS, agentOf, type AgentRow } from '../repositories/agent-columns.ts'
import { showAgent } from '../repositories/agents.ts'
import { all, byIndex, type Program } from '../statement-program.ts'

/** Agents that are looked at, and peers that are shown of each kind. */
const DELEGATION_AGENTS_MAX = 10_000
const DELEGATION_PEERS_MAX = 1000

const STEP = 500

const SELECT = `select ${AGENT_COLUMNS} from agent ${byIndex('agent_name')}
  where name > ? and deleted_at is null order by name limit ?`

const gather = () => {
  const found: DelegationPeer[] = []
  let hasMore = false
  return {
    add: ({ id, name, owner, disabledAt }: Agent, by: string | undefined): void => {
      if (by === undefined) return
      if (found.length < DELEGATION_PEERS_MAX) found.push({ id, name, owner, disabledAt, by })
      else hasMore = true
    },
    list: (isCut: boolean): PeerList => ({ peers: found, hasMore: hasMore || isCut }),
  }
}

/** Undefined where no agent has the id. */
export function* readDelegation(agentId: string): Program<Delegation | undefined> {
  const agent = yield* showAgent(agentId)
  if (agent === undefined) return undefined
  const [subjects, actors] = [gather(), gather()]
  let after = ''
  for (let seen = 0; seen < DELEGATION_AGENTS_MAX; seen += STEP) {
    const rows = yield* all<AgentRow>(SELECT, after, STEP)
    for (const other of rows.map(agentOf)) {
      subjects.add(other, delegationBy(agent, other))
      actors.add(other, delegationBy(other, agent))
    }
    const last = rows.at(-1)
    if (rows.length < STEP || last === undefined)
      return { agent, subjects: subjects.list(false), actors: actors.list(false) }
    after = last.name
  }
  return { agent, subjects: subjects.list(true), actors: actors.list(true) }
}
