// The port of API keys. Who asks is recognized by what is remembered of them.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { ApiKeyRepository } from '../../ports/secret-repositories.ts'
import { inBackground, type OnFault } from '../background.ts'
import type { Writer } from '../jobs.ts'
import type { Program } from '../statement-program.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { findApiKey, listApiKeys, showApiKey } from './api-keys.ts'
import { LAST_USE_STEP_MS } from './last-uses.ts'
import { makeVersionKeyedCache } from './version-keyed-cache.ts'

type FoundKeys = { readonly now: Milliseconds; readonly found: readonly (ApiKey | undefined)[] }

const makeFind = () => {
  const apiKeys = makeVersionKeyedCache<ApiKey>(findApiKey)
  const find = function* (snapshot: Snapshot, keyHashes: readonly string[]): Program<FoundKeys> {
    const found: (ApiKey | undefined)[] = []
    for (const hash of keyHashes) found.push(apiKeys.known(snapshot, hash) ?? (yield* apiKeys.read(snapshot, hash)))
    return { now: snapshot.now, found }
  }
  return { find, wasFound: apiKeys.wasFound }
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

export const makeApiKeyRepository = (
  { read, readUntimed }: Reader,
  writer: Writer,
  onFault: OnFault,
): ApiKeyRepository => {
  const { find, wasFound } = makeFind()
  const noteUses = recordUses(writer, onFault)
  return {
    find: async (keyHashes, meanwhile) => {
      meanwhile?.(keyHashes.map(wasFound))
      const program = (snapshot: Snapshot) => find(snapshot, keyHashes)
      const untimed = await readUntimed(program)
      // What has expired must stay so: such an answer tells a time, and waits for the clock's lease.
      const reportsTime = untimed.found.some(apiKey => apiKey !== undefined && apiKey.expiresAt !== null)
      const { now, found } = reportsTime ? await read(program) : untimed
      const live = found.map(apiKey => (hasExpired(apiKey?.expiresAt ?? null, now) ? undefined : apiKey))
      noteUses(live, now)
      return live
    },
    show: apiKeyId => readUntimed(() => showApiKey(apiKeyId)),
    rotate: (rotation, act) => writer.call('rotateApiKey', { rotation, act }),
    create: (apiKey, act) => writer.call('createApiKey', { apiKey, act }),
    list: (after, limit) => readUntimed(() => listApiKeys(after, limit)),
    revoke: (apiKeyId, act) => writer.call('revokeApiKey', { apiKeyId, act }),
  }
}
