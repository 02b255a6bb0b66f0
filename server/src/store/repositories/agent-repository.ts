// The port of agents. A decision to issue may rest on the cache.
import type { Client } from '../../domain/clients/agent.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { SigningKey } from '../../domain/keys/signing-key.ts'
import type { AgentRepository, Freshness, IssueView } from '../../ports/ports.ts'
import type { Writer } from '../subjects.ts'
import { listAgents } from '../lists/list-agents.ts'
import { readDelegation } from '../lists/read-delegation.ts'
import type { Program } from '../statement-program.ts'
import { readCurrentSigningKey } from '../signing-keys/signing-keys.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { lifetimesInUse, makeDecoy, readClient, showAgent } from './agents.ts'
import { makeVersionKeyedCache, type VersionKeyedCache } from './version-keyed-cache.ts'

const CURRENT = 'current'

const mayExpire = ({ clients }: IssueView): boolean =>
  clients.some(client => client?.credentials.some(({ expiresAt }) => expiresAt !== null))

const requireKey = (signingKey: SigningKey | undefined): SigningKey => {
  if (signingKey !== undefined) return signingKey
  throw new Unavailable(`The store holds no signing key: run 'mintmark migrate'.`)
}

const makeView = () => {
  const keys = makeVersionKeyedCache<SigningKey>(readCurrentSigningKey)
  const known = makeVersionKeyedCache<Client>(readClient)
  const decoy = makeDecoy()
  return function* (snapshot: Snapshot, clientIds: readonly string[], freshness: Freshness): Program<IssueView> {
    const recall = <T>(memory: VersionKeyedCache<T>, key: string): T | undefined =>
      freshness === 'cached' ? memory.known(snapshot, key) : undefined
    const signingKey = requireKey(recall(keys, CURRENT) ?? (yield* keys.read(snapshot, CURRENT)))
    const clients: (Client | undefined)[] = []
    for (const id of clientIds) {
      const client = recall(known, id) ?? (yield* known.read(snapshot, id))
      // Only a fresh view is what a client is refused by.
      if (freshness === 'fresh') yield* decoy(client)
      clients.push(client)
    }
    return { seq: snapshot.service.seq, now: snapshot.now, signingKey, clients }
  }
}

/** Reads the key that signs, in a way that a store has of its own. */
export type ReadSigningKey = () => Promise<
  Pick<IssueView, 'seq' | 'now'> & { readonly signingKey: SigningKey | undefined }
>

export const makeAgentRepository = (
  { read, readUntimed }: Reader,
  { call }: Writer,
  readSigningKey?: ReadSigningKey,
): AgentRepository => {
  const view = makeView()
  return {
    viewForIssue: async (clientIds, freshness) => {
      if (clientIds.length === 0 && readSigningKey !== undefined) {
        const found = await readSigningKey()
        return { ...found, signingKey: requireKey(found.signingKey), clients: [] }
      }
      const program = (snapshot: Snapshot) => view(snapshot, clientIds, freshness)
      const untimed = await readUntimed(program)
      // An expired agent must stay expired: such a view depends on the time, and waits for the clock's lease.
      return mayExpire(untimed) ? read(program) : untimed
    },
    create: (agent, act) => call('createAgent', { agent, act }),
    show: agentId => readUntimed(() => showAgent(agentId)),
    list: request => readUntimed(() => listAgents(request)),
    delegation: agentId => readUntimed(() => readDelegation(agentId)),
    change: (wanted, act) => call('changeAgent', { ...wanted, act }),
    lifetimes: () => readUntimed(() => lifetimesInUse()),
    disable: (agentId, act) => call('disableAgent', { agentId, act }),
    enable: (agentId, act) => call('enableAgent', { agentId, act }),
    delete: (agentId, act) => call('deleteAgent', { agentId, act }),
  }
}
