// The port of API keys. A caller is recognized from the cache.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import type { ApiKeyRepository } from '../../ports/secret-repositories.ts'
import { inBackground, type OnFault } from '../background.ts'
import type { Writer } from '../subjects.ts'
import { given, type Program } from '../statement-program.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { findApiKey, listApiKeys, showApiKey } from './api-keys.ts'
import { LAST_USE_STEP_MS } from './last-uses.ts'
import { makeVersionKeyedCache, type VersionKeyedCache } from './version-keyed-cache.ts'

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

const CACHED_MAX = 10_000

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
