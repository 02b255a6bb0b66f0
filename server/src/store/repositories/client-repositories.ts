// The ports of those who call: agents, on whose cache a decision to issue may rest, and API keys, recognized from the cache.
import type { Client } from '../../domain/clients/agent.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { SigningKey } from '../../domain/keys/signing-key.ts'
import type { AgentRepository, Freshness, IssueView } from '../../ports/ports.ts'
import type { Writer } from '../subjects.ts'
import { listAgents } from '../lists/list-agents.ts'
import { readDelegation } from '../lists/read-delegation.ts'
import { type Program, given } from '../statement-program.ts'
import { readCurrentSigningKey } from '../signing-keys/signing-keys.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { lifetimesInUse, makeDecoy, readClient, showAgent } from './agents.ts'
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { ApiKeyRepository } from '../../ports/secret-repositories.ts'
import { inBackground, type OnFault } from '../background.ts'
import { findApiKey, listApiKeys, showApiKey } from './api-keys.ts'
import { LAST_USE_STEP_MS } from './last-uses.ts'

// A cache that is valid only while `service.seq` is the number it was read at: that number is read each time.

/** Agents, keys or times in a cache, at most: one that is full begins anew. */
const CACHED_MAX = 10_000

/** Remembers what was found, never what was not: a refusal is read anew. */
export const makeVersionKeyedCache = <T>(read: (key: string) => Program<T | undefined>) => {
  const memory = new Map<string, T>()
  let seq = -1

  /** Whether the snapshot has the greatest number so far. A greater number than before clears the cache. */
  const isOfNow = ({ service }: Pick<Snapshot, 'service'>): boolean => {
    if (service.seq > seq) memory.clear()
    seq = Math.max(seq, service.seq)
    return service.seq === seq
  }

  /** Remembers what was read in that snapshot; undefined: nothing was there. */
  const learn = (snapshot: Pick<Snapshot, 'service'>, key: string, found: T | undefined): void => {
    // A newer snapshot may have been read since this one.
    if (!isOfNow(snapshot)) return
    if (memory.size >= CACHED_MAX) memory.clear()
    if (found === undefined) memory.delete(key)
    else memory.set(key, found)
  }

  return {
    read: function* (snapshot: Snapshot, key: string): Program<T | undefined> {
      const found = yield* read(key)
      learn(snapshot, key, found)
      return found
    },
    /** What is cached and valid in the snapshot. */
    known: (snapshot: Snapshot, key: string): T | undefined => (isOfNow(snapshot) ? memory.get(key) : undefined),
    learn,
    /** Whether it was found lately, which says nothing of now. */
    wasFound: (key: string): boolean => memory.has(key),
  }
}

export type VersionKeyedCache<T> = ReturnType<typeof makeVersionKeyedCache<T>>

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

type Found = readonly (ApiKey | undefined)[]

type FoundKeys = { readonly now: Milliseconds; readonly found: Found }

/** Reads those that are neither revoked nor suspended, many at once, in one snapshot that is later than the call. */
export type ReadApiKeys = (
  keyHashes: readonly Sha256[],
) => Promise<Pick<Snapshot, 'service' | 'now'> & { readonly found: ReadonlyMap<Sha256, ApiKey> }>

const programsOf = (apiKeys: VersionKeyedCache<ApiKey>) => ({
  /** What is cached and holds now. */
  findKnown: (keyHashes: readonly Sha256[]) =>
    function* (snapshot: Snapshot): Program<FoundKeys> {
      return yield* given({ now: snapshot.now, found: keyHashes.map(hash => apiKeys.known(snapshot, hash)) })
    },
  findEach: (keyHashes: readonly Sha256[]) =>
    function* (snapshot: Snapshot): Program<FoundKeys> {
      const found: (ApiKey | undefined)[] = []
      for (const hash of keyHashes) found.push(apiKeys.known(snapshot, hash) ?? (yield* apiKeys.read(snapshot, hash)))
      return { now: snapshot.now, found }
    },
})

/** Finds API keys in the order of their hashes, whether they have expired or not. */
const makeFind = ({ readUntimed }: Pick<Reader, 'readUntimed'>, readMany: ReadApiKeys | undefined) => {
  const apiKeys = makeVersionKeyedCache<ApiKey>(findApiKey)
  const { findKnown, findEach } = programsOf(apiKeys)

  const findTogether = async (keyHashes: readonly Sha256[], readApiKeys: ReadApiKeys): Promise<FoundKeys> => {
    const known = await readUntimed(findKnown(keyHashes))
    const missing = [...new Set(keyHashes.filter((_, n) => known.found[n] === undefined))]
    if (missing.length === 0) return known
    const read = await readApiKeys(missing)
    for (const hash of missing) apiKeys.learn(read, hash, read.found.get(hash))
    return { now: read.now, found: known.found.map((one, n) => one ?? read.found.get(keyHashes[n] ?? '')) }
  }

  return {
    findEach,
    wasFound: apiKeys.wasFound,
    find: (keyHashes: readonly Sha256[]): Promise<FoundKeys> =>
      readMany === undefined ? readUntimed(findEach(keyHashes)) : findTogether(keyHashes, readMany),
  }
}

/** Hands over which API keys are used, each at most once a minute. Nobody waits for it: what fails is a minute lost. */
export const recordUses = ({ call }: Writer, onFault: OnFault) => {
  const handedOver = new Map<string, Milliseconds>()
  return (apiKeys: readonly (ApiKey | undefined)[], now: Milliseconds): void => {
    const due = new Set<string>()
    for (const apiKey of apiKeys) {
      if (apiKey === undefined || now - (handedOver.get(apiKey.id) ?? 0) < LAST_USE_STEP_MS) continue
      if (handedOver.size >= CACHED_MAX) handedOver.clear()
      handedOver.set(apiKey.id, now)
      due.add(apiKey.id)
    }
    if (due.size > 0) void inBackground('last uses of API keys', () => call('noteApiKeyUses', [...due]), onFault)
  }
}

/** Whether an API key has expired is read at a time that the clock's lease covers: what has expired must stay so. */
const makeFindTimed =
  ({ read }: Pick<Reader, 'read'>, findEach: ReturnType<typeof programsOf>['findEach']) =>
  async (keyHashes: readonly Sha256[], found: Found): Promise<Found> => {
    const expiring = [...new Set(keyHashes.filter((_, n) => (found[n]?.expiresAt ?? null) !== null))]
    if (expiring.length === 0) return found
    const timed = await read(findEach(expiring))
    const live = new Map(
      timed.found.map((one, n) => [expiring[n], hasExpired(one?.expiresAt ?? null, timed.now) ? undefined : one]),
    )
    return found.map((one, n) => (live.has(keyHashes[n]) ? live.get(keyHashes[n]) : one))
  }

export const makeApiKeyRepository = (
  reader: Reader,
  writer: Writer,
  onFault: OnFault,
  readMany?: ReadApiKeys,
): ApiKeyRepository => {
  const { readUntimed } = reader
  const { find, findEach, wasFound } = makeFind(reader, readMany)
  const findTimed = makeFindTimed(reader, findEach)
  const noteUses = recordUses(writer, onFault)
  return {
    find: async (keyHashes, meanwhile) => {
      meanwhile?.(keyHashes.map(wasFound))
      const { now, found } = await find(keyHashes)
      const live = await findTimed(keyHashes, found)
      noteUses(live, now)
      return live
    },
    show: apiKeyId => readUntimed(() => showApiKey(apiKeyId)),
    rotate: (rotation, act) => writer.call('rotateApiKey', { rotation, act }),
    create: (apiKey, act) => writer.call('createApiKey', { apiKey, act }),
    list: request => readUntimed(() => listApiKeys(request)),
    revoke: (apiKeyId, act) => writer.call('revokeApiKey', { apiKeyId, act }),
  }
}
