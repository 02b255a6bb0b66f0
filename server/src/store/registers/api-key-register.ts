// The port of API keys. Who asks is recognised by what is remembered of them.
import type { ApiKey } from '../../domain/api-key.ts'
import { hasExpired } from '../../domain/expiry.ts'
import type { Milliseconds } from '../../domain/time.ts'
import type { ApiKeyRegister } from '../../ports/secret-registers.ts'
import type { OnFault } from '../background.ts'
import type { Writer } from '../jobs.ts'
import type { Script } from '../script.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { findApiKey, listApiKeys, showApiKey } from './api-keys.ts'
import { handOverUses } from './hand-over-uses.ts'
import { makeSeqMemory } from './seq-memory.ts'

type FoundKeys = { readonly now: Milliseconds; readonly found: readonly (ApiKey | undefined)[] }

const makeFind = () => {
  const apiKeys = makeSeqMemory<ApiKey>(findApiKey)
  const find = function* (snapshot: Snapshot, keyHashes: readonly string[]): Script<FoundKeys> {
    const found: (ApiKey | undefined)[] = []
    for (const hash of keyHashes) found.push(apiKeys.known(snapshot, hash) ?? (yield* apiKeys.read(snapshot, hash)))
    return { now: snapshot.now, found }
  }
  return { find, wasFound: apiKeys.wasFound }
}

export const makeApiKeyRegister = ({ read, readUntimed }: Reader, writer: Writer, onFault: OnFault): ApiKeyRegister => {
  const { find, wasFound } = makeFind()
  const noteUses = handOverUses(writer, onFault)
  return {
    find: async (keyHashes, meanwhile) => {
      meanwhile?.(keyHashes.map(wasFound))
      const script = (snapshot: Snapshot) => find(snapshot, keyHashes)
      const untimed = await readUntimed(script)
      // What has expired must stay so: such an answer tells a time, and waits for the clock's lease.
      const tellsTime = untimed.found.some(apiKey => apiKey !== undefined && apiKey.expiresAt !== null)
      const { now, found } = tellsTime ? await read(script) : untimed
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
