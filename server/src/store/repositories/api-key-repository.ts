// The port of API keys. Who asks is recognised by what is remembered of them.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { ApiKeyRepository } from '../../ports/secret-repositories.ts'
import type { OnFault } from '../background.ts'
import type { Writer } from '../jobs.ts'
import type { Program } from '../statement-program.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { findApiKey, listApiKeys, showApiKey } from './api-keys.ts'
import { recordUses } from './hand-over-uses.ts'
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

export const makeApiKeyRegister = (
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
