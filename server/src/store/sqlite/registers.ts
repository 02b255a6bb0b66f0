// The ports of agents and API keys. What is remembered is used only while `service.seq` is the one it was
// read at, and that number is read each time.
import type { Client } from '../../domain/agent.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import { hasExpired } from '../../domain/expiry.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import type { AgentRegister, Freshness, IssueView, StoreHealth } from '../../ports.ts'
import type { ApiKeyRegister } from '../../ports/secret-registers.ts'
import { lifetimesInUse, readClient, showAgent } from '../registers/agents.ts'
import { findApiKey, listApiKeys, showApiKey } from '../registers/api-keys.ts'
import { handOverUses } from '../registers/hand-over-uses.ts'
import { listAgents } from '../lists/list-agents.ts'
import type { Reader, Snapshot } from './reader.ts'
import { readCurrentSigningKey } from '../signing-keys/signing-keys.ts'
import type { Writer } from './writer-client.ts'

const REMEMBERED_MAX = 10_000

type Memory<T> = (snapshot: Snapshot, key: string, freshness: Freshness, read: () => T | undefined) => T | undefined

/** Remembers what was found, never what was not: a refusal is read anew. */
const memory = <T>(): Memory<T> => {
  const known = new Map<string, T>()
  let seq = -1
  return ({ service }, key, freshness, read) => {
    if (service.seq !== seq || known.size >= REMEMBERED_MAX) known.clear()
    seq = service.seq
    const remembered = freshness === 'cached' ? known.get(key) : undefined
    if (remembered !== undefined) return remembered
    const found = read()
    if (found === undefined) known.delete(key)
    else known.set(key, found)
    return found
  }
}

const readCurrentKey = ({ sql }: Snapshot): SigningKey => {
  const current = readCurrentSigningKey(sql)
  if (current === undefined) throw new Unavailable(`The store holds no signing key: run 'mintmark migrate'.`)
  return current
}

const CURRENT = 'current'

const mayExpire = ({ clients }: IssueView): boolean =>
  clients.some(client => client?.credentials.some(({ expiresAt }) => expiresAt !== null))

export const makeAgentRegister = (reader: Reader, writer: Writer): AgentRegister => {
  const clients = memory<Client>()
  const keys = memory<SigningKey>()
  const view = (clientIds: readonly string[], freshness: Freshness) => (snapshot: Snapshot) => ({
    seq: snapshot.service.seq,
    now: snapshot.now,
    signingKey: keys(snapshot, CURRENT, freshness, () => readCurrentKey(snapshot)) ?? readCurrentKey(snapshot),
    clients: clientIds.map(id => clients(snapshot, id, freshness, () => readClient(snapshot.sql, id))),
  })
  return {
    viewForIssue: async (clientIds, freshness) => {
      const untimed = reader.readUntimed(view(clientIds, freshness))
      // Who has expired must stay so: such a view tells a time, and waits for the clock's lease.
      return mayExpire(untimed) ? reader.read(view(clientIds, freshness)) : untimed
    },
    create: (agent, act) => writer.call('createAgent', { agent, act }),
    show: async agentId => reader.readUntimed(({ sql }) => showAgent(sql, agentId)),
    list: async request => reader.readUntimed(({ sql }) => listAgents(sql, request)),
    change: (wanted, act) => writer.call('changeAgent', { ...wanted, act }),
    lifetimes: async () => reader.readUntimed(({ sql }) => lifetimesInUse(sql)),
    disable: (agentId, act) => writer.call('disableAgent', { agentId, act }),
    enable: (agentId, act) => writer.call('enableAgent', { agentId, act }),
    delete: (agentId, act) => writer.call('deleteAgent', { agentId, act }),
  }
}

export const makeApiKeyRegister = (reader: Reader, writer: Writer): ApiKeyRegister => {
  const apiKeys = memory<ApiKey>()
  const noteUses = handOverUses(writer)
  const find = (keyHashes: readonly string[]) => (snapshot: Snapshot) => ({
    now: snapshot.now,
    found: keyHashes.map(hash => apiKeys(snapshot, hash, 'cached', () => findApiKey(snapshot.sql, hash))),
  })
  return {
    find: async keyHashes => {
      const untimed = reader.readUntimed(find(keyHashes))
      // What has expired must stay so: such an answer tells a time, and waits for the clock's lease.
      const tellsTime = untimed.found.some(apiKey => apiKey !== undefined && apiKey.expiresAt !== null)
      const { now, found } = tellsTime ? await reader.read(find(keyHashes)) : untimed
      const live = found.map(apiKey => (hasExpired(apiKey?.expiresAt ?? null, now) ? undefined : apiKey))
      noteUses(live, now)
      return live
    },
    show: async apiKeyId => reader.readUntimed(({ sql }) => showApiKey(sql, apiKeyId)),
    rotate: (rotation, act) => writer.call('rotateApiKey', { rotation, act }),
    create: (apiKey, act) => writer.call('createApiKey', { apiKey, act }),
    list: async (after, limit) => reader.readUntimed(({ sql }) => listApiKeys(sql, after, limit)),
    revoke: (apiKeyId, act) => writer.call('revokeApiKey', { apiKeyId, act }),
  }
}

export const makeHealth = (reader: Reader, writer: Writer): StoreHealth => ({
  check: async () => {
    try {
      await writer.call('proveWrite', null)
      return await reader.read(() => null)
    } catch (fault) {
      if (fault instanceof Unavailable) return fault.message
      throw fault
    }
  },
})
