// Backups of test stores, and stores that are restored from them.
import { join } from 'node:path'
import { TIMING } from '../../server/src/ports/timing.ts'
import { type BackupMade, backupStore } from '../../server/src/store/offline/sqlite/backup.ts'
import { openSqliteStore, type SqliteStore } from '../../server/src/store/sqlite/open.ts'
import { restoreBackup, type RestoredFile } from '../../server/src/store/offline/sqlite/restore.ts'
import type { Restoration } from '../../server/src/store/offline/restore-store.ts'
import { act, someSigningKey, type TestStore } from './store.ts'

export const restorationAt = (wall: number): Restoration => ({
  key: someSigningKey(),
  act: act('store.restore'),
  madeAt: wall,
  wall,
})

/** Backs up into the folder of the store. */
export const backUp = ({ file }: Pick<TestStore, 'file'>, name = 'backup.db'): Promise<BackupMade> =>
  backupStore({ file, timing: TIMING, target: join(file, '..', name), force: false })

/** Restores into a folder of its own below that of the store. */
export const restore = (
  { file, clock }: Pick<TestStore, 'file' | 'clock'>,
  backup: string,
  name = 'restored.db',
): RestoredFile & { readonly file: string } => {
  const restored = join(file, '..', name)
  const restoration = restorationAt(clock.wall())
  return { ...restoreBackup({ backup, file: restored, timing: TIMING, replace: false, restoration }), file: restored }
}

/** Opened as a command opens it: nothing is filled, so that what a restore itself did is seen. */
export const openRestored = (file: string): Promise<SqliteStore> =>
  openSqliteStore({ file, timing: TIMING, retention: null })
