// A store with one agent, and what a test asks of both: changes of the agent, and which of its tokens live.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Agent } from '../../server/src/domain/clients/agent.ts'
import type { AgentChange, AgentSettings } from '../../server/src/domain/clients/change-agent.ts'
import type { TokenAddress } from '../../server/src/domain/ledger/claims.ts'
import {
  act,
  createAgent,
  makeTestStore,
  NO_HISTORY_FILTERS,
  openTestedStore,
  type TestAgent,
  type TestedStore,
  type TestStore,
} from './store.ts'
import { readNumber } from './store-file.ts'

/** The default audience of the service. */
export const SERVICE = 'https://service.example'

export type AgentWorld = TestStore & { readonly agent: TestAgent }

/** Nothing fills what an act leaves open. By default an agent with `db:*` and any resource. */
export const makeAgentWorld = async (t: TestContext, settings: Partial<AgentSettings> = {}): Promise<AgentWorld> => {
  const world = await makeTestStore(null)
  t.after(world.dispose)
  return { ...world, agent: await createAgent(world.store, null, settings) }
}

/** Opens the same store as another process has it. */
export const openElsewhere = async (t: TestContext, { file, clock }: TestStore): Promise<TestedStore> => {
  const store = await openTestedStore({ file, retention: null, clock })
  t.after(store.close)
  return store
}

type ServiceAudience = string | null

export const changeIn = (
  store: TestedStore,
  { id }: TestAgent,
  change: AgentChange,
  serviceAudience: ServiceAudience = SERVICE,
) => store.agents.change({ agentId: id, change, serviceAudience }, act('agent.change'))

/** The agent as changed, or the test fails. */
export const changed = async (world: AgentWorld, change: AgentChange, known?: ServiceAudience): Promise<Agent> => {
  const answer = await changeIn(world.store, world.agent, change, known)
  assert.ok(typeof answer === 'object' && !('refusal' in answer), JSON.stringify(answer))
  return answer
}

/** Why the change is refused, or the test fails. */
export const refused = async (world: AgentWorld, change: AgentChange, known?: ServiceAudience): Promise<string> => {
  const answer = await changeIn(world.store, world.agent, change, known)
  assert.ok(typeof answer === 'object' && 'refusal' in answer, JSON.stringify(answer))
  return answer.refusal.description
}

export const seqOf = ({ file }: TestStore): number => readNumber(file, 'select seq from service')

export const aliveOf = async (store: TestedStore, tokens: readonly TokenAddress[]): Promise<readonly boolean[]> =>
  (await store.ledger.find(tokens)).map(token => token !== undefined && !token.dead)

/** What history says of the agent's tokens. */
export const endingsOf = async (store: TestedStore, agent: TestAgent) => {
  const filters = { ...NO_HISTORY_FILTERS, agentId: agent.id }
  const { records } = await store.ledger.listEnded({ filters, audiences: null, after: null, limit: 1000 })
  return records.map(({ id, reason, endedBy }) => ({ id, reason, endedBy }))
}
