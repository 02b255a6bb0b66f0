// mintmark restore
import type { Command } from 'commander'
import { addAcceptRestore } from './accept-restore.ts'
import { addExamples } from '../terminal/examples.ts'
import { addRestoreBackup } from './restore-backup.ts'
import { addRestoreInPlace } from './restore-in-place.ts'
import { addReplayRestore } from './replay-restore.ts'
import { addShowRestore } from './show-restore.ts'

export const addRestore = (program: Command): void => {
  const restore = program
    .command('restore')
    .description('make a store of a backup: `mintmark restore FILE`; and what must be looked at before agents go on')
  for (const addTo of [addRestoreBackup, addRestoreInPlace, addReplayRestore, addShowRestore, addAcceptRestore])
    addTo(restore)
  addExamples(restore, [
    'mintmark restore mintmark-20261121.backup',
    'mintmark restore replay audit.ndjson --since 2026-11-20T03:00:00Z --yes',
    'mintmark restore accept --yes',
  ])
}
