// Wires what hangs on the key-encryption key, and refuses one that is not that of the store.
import type { MigrateConfig } from './config.ts'
import { makeImportedSecrets } from './keys/imported-secrets.ts'
import { openSigningKey, parseKeyEncryptionKey } from './keys/signing-keys.ts'
import { StartRefused } from './start-refused.ts'
import type { SqliteStore } from './store/sqlite/open.ts'

export const keyOf = (config: Pick<MigrateConfig, 'keyEncryptionKey'>): Uint8Array => {
  const key = parseKeyEncryptionKey(config.keyEncryptionKey)
  if (key === undefined) throw new StartRefused('MINTMARK_KEY_ENCRYPTION_KEY is not 32 bytes in base64.')
  return key
}

export const refuseWrongKey = async (store: SqliteStore, key: Uint8Array): Promise<void> => {
  const sealed = await store.signingKeys.sealed()
  if (sealed.length === 0) throw new StartRefused('The store holds no signing key; run `mintmark migrate`.')
  try {
    for (const signingKey of sealed) openSigningKey(key, signingKey)
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Keeps imported secrets under the key of the store. Without that key, or under another, only an import is refused. */
export const importedSecretsUnder = async (store: SqliteStore, keyEncryptionKey: string | null) => {
  try {
    if (keyEncryptionKey === null) throw new StartRefused('MINTMARK_KEY_ENCRYPTION_KEY is not set; an import needs it.')
    const key = keyOf({ keyEncryptionKey })
    await refuseWrongKey(store, key)
    return makeImportedSecrets(key)
  } catch (error) {
    const hash = (): never => {
      throw error
    }
    return { hash }
  }
}
