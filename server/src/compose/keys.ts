// Wires the signing keys: their creation and life, and whether this configuration can decrypt those of a store.
import { forPerson, type Store } from './store.ts'
import type { CommandConfig, MigrateConfig, ReencryptConfig, ServiceConfig } from '../config/config.ts'
import { systemAct } from '../domain/audit/act.ts'
import { actBy, type Origin } from '../domain/caller.ts'
import type { KeyPolicy } from '../domain/keys/key-life.ts'
import type { SealedSigningKey } from '../domain/keys/signing-key.ts'
import { makeImportedSecrets } from '../keys/clients/secrets.ts'
import { isAlgorithmThere } from '../keys/tokens/signing-algorithms.ts'
import { makeSigningKey, makeSigningKeyMaker, openSigningKey } from '../keys/tokens/signing-keys.ts'
import { makeReencryption, openFormerSealKey } from '../keys/at-rest/reencryption.ts'
import { auditSealKey, parseKeyEncryptionKey } from '../keys/at-rest/sealed-bytes.ts'
import type { AuditSeals } from '../ports/audit-log.ts'
import type { ImportedSecrets } from '../ports/imports.ts'
import type { SigningKeyMaker } from '../ports/signing-keys.ts'
import type { StorePorts } from '../store/store-ports.ts'
import { timingOf } from './timing.ts'
import { StartRefused } from '../config/start-refused.ts'

const parseKey = (text: string, variable: string): Uint8Array => {
  const key = parseKeyEncryptionKey(text)
  if (key === undefined) throw new StartRefused(`${variable} is not 32 bytes in base64.`)
  return key
}

export const keyOf = ({ keyEncryptionKey }: MigrateConfig): Uint8Array =>
  parseKey(keyEncryptionKey, 'MINTMARK_KEY_ENCRYPTION_KEY')

export const makerOf = (config: MigrateConfig): SigningKeyMaker =>
  makeSigningKeyMaker(keyOf(config), config.signingKeys.algorithm)

/** What a service manages its signing keys with. */
export const keepingOf = (config: ServiceConfig): { readonly policy: KeyPolicy; readonly maker: SigningKeyMaker } => ({
  policy: { ...config.signingKeys, lifetimeSeconds: config.tokenLifetimeSeconds },
  maker: makerOf(config),
})

export type CheckKey = (store: Store, config: MigrateConfig) => Promise<void>

export const refuseMissingAlgorithm = ({ signingKeys: { algorithm } }: MigrateConfig): void => {
  if (isAlgorithmThere(algorithm)) return
  throw new StartRefused(
    `MINTMARK_SIGNING_ALGORITHM is ${algorithm}, which this Node does not have: its OpenSSL is older than 3.5.`,
  )
}

/** Refuses a key-encryption key that does not match these keys. */
export const refuseForeignSeals = (sealed: readonly SealedSigningKey[], key: Uint8Array): void => {
  try {
    for (const signingKey of sealed) openSigningKey(key, signingKey)
  } catch (error) {
    throw new StartRefused(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

const refuseForeignKey = async (store: Store, key: Uint8Array): Promise<void> => {
  const sealed = await store.signingKeys.sealed()
  if (sealed.length === 0) throw new StartRefused('The store holds no signing key; run `mintmark migrate`.')
  refuseForeignSeals(sealed, key)
}

export const refuseWrongKey: CheckKey = async (store, config) => {
  refuseMissingAlgorithm(config)
  await refuseForeignKey(store, keyOf(config))
}

/** What seals are checked with. */
export const sealKeysOf = (key: Uint8Array) => ({
  key: auditSealKey(key),
  openFormer: (sealed: Uint8Array, lastSeal: number) => openFormerSealKey(key, sealed, lastSeal),
})

export const auditSealsOf = (store: Pick<StorePorts, 'auditSealsUnder'>, key: Uint8Array): AuditSeals =>
  store.auditSealsUnder(sealKeysOf(key))

/** Encrypts new secrets for the store, and checks what is sealed in it, on the command line. */
type Makers = {
  readonly auditSeals: AuditSeals
  readonly importedSecrets: Pick<ImportedSecrets, 'hash'>
  readonly signingKeyMaker: SigningKeyMaker
}

const refusingMakers = (reason: unknown): Makers => {
  const refuse = (): never => {
    throw reason
  }
  const refuseAsync = async (): Promise<never> => refuse()
  return {
    auditSeals: { check: refuseAsync },
    importedSecrets: { hash: refuse },
    signingKeyMaker: { make: refuseAsync, read: refuse },
  }
}

/** Encrypts under the store's key. With no key or a wrong one, only operations that encrypt are refused. */
export const makersUnder = async (store: Store, config: CommandConfig): Promise<Makers> => {
  const { keyEncryptionKey } = config
  try {
    if (keyEncryptionKey === null) {
      throw new StartRefused(
        'MINTMARK_KEY_ENCRYPTION_KEY is not set; an import needs it, and so do a new signing key and a check of seals.',
      )
    }
    const withKey = { ...config, keyEncryptionKey }
    await refuseForeignKey(store, keyOf(withKey))
    const auditSeals = auditSealsOf(store, keyOf(withKey))
    return {
      auditSeals,
      importedSecrets: makeImportedSecrets(keyOf(withKey), timingOf()),
      signingKeyMaker: makerOf(withKey),
    }
  } catch (error) {
    return refusingMakers(error)
  }
}

/** Creates the first signing key, if there is none. */
export const ensureSigningKey: CheckKey = async (store, config) => {
  refuseMissingAlgorithm(config)
  const sealed = await store.signingKeys.sealed()
  if (sealed.length === 0) {
    const key = makeSigningKey(keyOf(config), config.signingKeys.algorithm)
    // Another process may have created one meanwhile: of two callers one creates.
    await store.signingKeys.createFirst(key, systemAct('signing_key.create'))
  }
  await refuseWrongKey(store, config)
}

/** Encrypts the store's secrets under the new key-encryption key instead of the old one, all or nothing. */
export const reencryptStoreKeys = (config: ReencryptConfig, origin: Origin): Promise<'done' | 'done_before'> => {
  const from = parseKey(config.keyEncryptionKeyOld, 'MINTMARK_KEY_ENCRYPTION_KEY_OLD')
  const reencryption = makeReencryption(from, keyOf(config))
  const act = actBy(origin, 'signing_key.reencrypt')
  const { databaseFile, postgres } = config
  return forPerson(async () => {
    if (postgres === null) {
      const { reencryptStore } = await import('../store/offline/sqlite/act-alone.ts')
      return reencryptStore({ file: databaseFile, timing: timingOf(), act, reencryption })
    }
    const { reencryptDatabase } = await import('../store/offline/postgres/act-alone.ts')
    return reencryptDatabase({ address: postgres, timing: timingOf() }, reencryption, act)
  })
}
