// Wires the signing keys: who makes them, how they live, and whether this configuration can open those of a store.
import type { MigrateConfig, ServiceConfig } from './config.ts'
import { systemAct } from './domain/act.ts'
import type { KeyPolicy } from './domain/key-life.ts'
import { isAlgorithmThere } from './keys/signing-algorithms.ts'
import { makeSigningKeyMaker } from './keys/signing-key-maker.ts'
import { makeSigningKey, openSigningKey, parseKeyEncryptionKey } from './keys/signing-keys.ts'
import type { SigningKeyMaker } from './ports/signing-keys.ts'
import { StartRefused } from './start-refused.ts'
import type { SqliteStore } from './store/sqlite/open.ts'

const parseKey = (text: string, variable: string): Uint8Array => {
  const key = parseKeyEncryptionKey(text)
  if (key === undefined) throw new StartRefused(`${variable} is not 32 bytes in base64.`)
  return key
}

export const keyOf = ({ keyEncryptionKey }: MigrateConfig): Uint8Array =>
  parseKey(keyEncryptionKey, 'MINTMARK_KEY_ENCRYPTION_KEY')

export const makerOf = (config: MigrateConfig): SigningKeyMaker =>
  makeSigningKeyMaker(keyOf(config), config.signingKeys.algorithm)

/** What a service keeps its signing keys by. */
export const keepingOf = (config: ServiceConfig): { readonly policy: KeyPolicy; readonly maker: SigningKeyMaker } => ({
  policy: { ...config.signingKeys, lifetimeSeconds: config.tokenLifetimeSeconds },
  maker: makerOf(config),
})

export type CheckKey = (store: SqliteStore, config: MigrateConfig) => Promise<void>

const refuseMissingAlgorithm = ({ signingKeys: { algorithm } }: MigrateConfig): void => {
  if (isAlgorithmThere(algorithm)) return
  throw new StartRefused(
    `MINTMARK_SIGNING_ALGORITHM is ${algorithm}, which this Node does not have: its OpenSSL is older than 3.5.`,
  )
}

export const refuseWrongKey: CheckKey = async (store, config) => {
  refuseMissingAlgorithm(config)
  const sealed = await store.signingKeys.sealed()
  if (sealed.length === 0) throw new StartRefused('The store holds no signing key; run `mintmark migrate`.')
  try {
    for (const signingKey of sealed) openSigningKey(keyOf(config), signingKey)
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Makes the first signing key, where there is none. */
export const ensureSigningKey: CheckKey = async (store, config) => {
  refuseMissingAlgorithm(config)
  const key = makeSigningKey(keyOf(config), config.signingKeys.algorithm)
  await store.signingKeys.createFirst(key, systemAct('signing_key.create'))
  await refuseWrongKey(store, config)
}
