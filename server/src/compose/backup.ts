// Wires backup and restore: a backup file, the configured store, and a signing key for the restored store.
import { dirname } from 'node:path'
import { withStore } from './administration.ts'
import { keyOf, refuseForeignSeals, refuseMissingAlgorithm } from './keys.ts'
import { forPerson, makeFolder } from './store.ts'
import type { MigrateConfig, StoreConfig } from '../config/config.ts'
import type { PostgresConfig } from '../config/database.ts'
import { actBy, type CliCaller, type Origin } from '../domain/caller.ts'
import type { Acceptance, BackupContent, RestoreState, Suspended } from '../domain/restore.ts'
import { makeSigningKey } from '../keys/tokens/signing-keys.ts'
import type { SealedSigningKey } from '../domain/keys/signing-key.ts'
import { timingOf } from './timing.ts'
import {
  type BackupMade,
  type BackupOptions,
  backupRows,
  backupStore as backup,
} from '../store/offline/sqlite/backup.ts'
import { readBackup, type VerifiedBackup, verifyBackup, withBackup } from '../store/offline/sqlite/read-backup.ts'
import { restoreInPlace } from '../store/offline/sqlite/act-alone.ts'
import { isStoreThere, restoreBackup, type RestoredFile } from '../store/offline/sqlite/restore.ts'
import { type Restoration, type Restored, restoreStore } from '../store/offline/restore-store.ts'

export type { BackupMade }

/** Copies the store into one file while a service may run. */
export const backupStore = (
  { databaseFile, postgres }: StoreConfig,
  options: Omit<BackupOptions, 'file' | 'timing'>,
): Promise<BackupMade> =>
  forPerson(async () => {
    if (postgres === null) return backup({ ...options, timing: timingOf(), file: databaseFile })
    const { exportRows } = await import('../store/offline/postgres/export-rows.ts')
    return exportRows({ address: postgres, timing: timingOf() }, copied =>
      backupRows({ ...options, timing: timingOf(), copied, onRows: () => undefined }),
    )
  })

/** A new signing key for the store, under a key-encryption key that must decrypt the existing keys. */
const newKey = (config: MigrateConfig, sealed: readonly SealedSigningKey[]): SealedSigningKey => {
  refuseMissingAlgorithm(config)
  refuseForeignSeals(sealed, keyOf(config))
  return makeSigningKey(keyOf(config), config.signingKeys.algorithm)
}

const restorationOf = (
  key: SealedSigningKey,
  origin: Origin<CliCaller>,
  madeAt: Restoration['madeAt'],
): Restoration => ({ key, act: actBy(origin, 'store.restore'), madeAt, wall: Date.now() })

/** Restores into an empty database, or continues an interrupted restore. */
const restoreIntoDatabase = (address: PostgresConfig, file: string, restoration: Restoration): Promise<RestoredFile> =>
  forPerson(async () => {
    const { importStore } = await import('../store/offline/postgres/import-store.ts')
    const { done } = await withBackup(file, ({ rows: source, mark, lastGiven }) =>
      importStore({
        address,
        timing: timingOf(),
        source,
        mark,
        lastGiven,
        now: restoration.wall,
        onRows: () => undefined,
        finish: tx => restoreStore(tx, restoration),
      }),
    )
    return { ...done, aside: null }
  })

/** Whether a backup is as it was written; nothing is restored. */
export const verifyStoreBackup = (file: string): Promise<VerifiedBackup> => forPerson(() => verifyBackup(file))

export type PlannedRestore = {
  readonly content: BackupContent & Pick<VerifiedBackup, 'hasDigest'>
  /** Whether a store exists in the target location. */
  readonly isStoreThere: boolean
  readonly run: (replace: boolean) => Promise<RestoredFile>
}

/** Reads a backup, and changes nothing until it is run. */
export const planRestore = (config: MigrateConfig, file: string, origin: Origin<CliCaller>): Promise<PlannedRestore> =>
  forPerson(() => {
    const { sealed, ...content } = readBackup(file)
    const key = newKey(config, sealed)
    const { databaseFile, postgres } = config
    const run = (replace: boolean): Promise<RestoredFile> => {
      if (postgres !== null) return restoreIntoDatabase(postgres, file, restorationOf(key, origin, content.madeAt))
      makeFolder(dirname(databaseFile))
      const restoration = restorationOf(key, origin, content.madeAt)
      const into = { file: databaseFile, timing: timingOf(), replace, restoration }
      return forPerson(() => restoreBackup({ backup: file, ...into }))
    }
    return { content, isStoreThere: postgres === null && isStoreThere(databaseFile), run }
  })

/** Does to the store what a restore does, after its file was restored with other tools. */
export const restoreStoreInPlace = (config: MigrateConfig, origin: Origin<CliCaller>): Promise<Restored> =>
  forPerson(async () => {
    const sealed = await withStore(config, ({ signingKeys }) => signingKeys.sealed())
    const restoration = restorationOf(newKey(config, sealed), origin, null)
    const timing = timingOf()
    if (config.postgres === null) return restoreInPlace({ file: config.databaseFile, timing, restoration })
    const { restoreDatabase } = await import('../store/offline/postgres/act-alone.ts')
    return restoreDatabase({ address: config.postgres, timing }, restoration)
  })

/** Records in the store's audit log that a backup as of `madeAt` is complete. */
export const recordStoreBackup = (
  config: StoreConfig,
  madeAt: BackupMade['madeAt'],
  origin: Origin<CliCaller>,
): Promise<void> => withStore(config, ({ restores }) => restores.recordBackup(madeAt, actBy(origin, 'store.backup')))

/** The last restore of the store, and what is still suspended. */
export const readStoreRestore = (config: StoreConfig): Promise<RestoreState | undefined> =>
  withStore(config, ({ restores }) => restores.state())

/** Reinstates what a restore suspended. */
export const acceptStoreRestore = (
  config: StoreConfig,
  acceptance: Acceptance,
  origin: Origin<CliCaller>,
): Promise<Suspended | 'unknown'> =>
  withStore(config, ({ restores }) => restores.accept(acceptance, actBy(origin, 'store.accept')))
