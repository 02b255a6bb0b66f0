// The port of agents. A decision to issue may rest on what is remembered of them.
import type { Client } from '../../domain/agent.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { AgentRegister, Freshness, IssueView } from '../../ports.ts'
import type { Writer } from '../jobs.ts'
import { listAgents } from '../lists/list-agents.ts'
import type { Script } from '../script.ts'
import { readCurrentSigningKey } from '../signing-keys/signing-keys.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { lifetimesInUse, readClient, showAgent } from './agents.ts'
import { makeSeqMemory, type SeqMemory } from './seq-memory.ts'

const CURRENT = 'current'

const mayExpire = ({ clients }: IssueView): boolean =>
  clients.some(client => client?.credentials.some(({ expiresAt }) => expiresAt !== null))

const makeView = () => {
  const keys = makeSeqMemory<SigningKey>(readCurrentSigningKey)
  const known = makeSeqMemory<Client>(readClient)
  return function* (snapshot: Snapshot, clientIds: readonly string[], freshness: Freshness): Script<IssueView> {
    const recall = <T>(memory: SeqMemory<T>, key: string): T | undefined =>
      freshness === 'cached' ? memory.known(snapshot, key) : undefined
    const signingKey = recall(keys, CURRENT) ?? (yield* keys.read(snapshot, CURRENT))
    if (signingKey === undefined) throw new Unavailable(`The store holds no signing key: run 'mintmark migrate'.`)
    const clients: (Client | undefined)[] = []
    for (const id of clientIds) clients.push(recall(known, id) ?? (yield* known.read(snapshot, id)))
    return { seq: snapshot.service.seq, now: snapshot.now, signingKey, clients }
  }
}

export const makeAgentRegister = ({ read, readUntimed }: Reader, { call }: Writer): AgentRegister => {
  const view = makeView()
  return {
    viewForIssue: async (clientIds, freshness) => {
      const script = (snapshot: Snapshot) => view(snapshot, clientIds, freshness)
      const untimed = await readUntimed(script)
      // Who has expired must stay so: such a view tells a time, and waits for the clock's lease.
      return mayExpire(untimed) ? read(script) : untimed
    },
    create: (agent, act) => call('createAgent', { agent, act }),
    show: agentId => readUntimed(() => showAgent(agentId)),
    list: request => readUntimed(() => listAgents(request)),
    change: (wanted, act) => call('changeAgent', { ...wanted, act }),
    lifetimes: () => readUntimed(() => lifetimesInUse()),
    disable: (agentId, act) => call('disableAgent', { agentId, act }),
    enable: (agentId, act) => call('enableAgent', { agentId, act }),
    delete: (agentId, act) => call('deleteAgent', { agentId, act }),
  }
}
