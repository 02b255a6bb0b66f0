// mintmark restore
import type { Command } from 'commander'
import { addAcceptRestore } from './accept-restore.ts'
import { addExamples } from '../terminal/examples.ts'
import { addRestoreBackup, RESTORE_ENDS } from './restore-backup.ts'
import { addReplayRestore } from './replay-restore.ts'
import { addShowRestore, suspendedRecord, formatSuspended } from './show-restore.ts'
import { restoreStoreInPlace } from '../../compose/backup.ts'
import { readMigrateConfig } from '../../config/config.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { confirm, endsEveryToken } from '../terminal/confirm.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { localOnly } from './local-only.ts'

// mintmark restore epoch

type Options = { readonly yes?: boolean; readonly json?: boolean }

const CONSEQUENCE = `This takes the store for one that was put back as it had been earlier. ${RESTORE_ENDS} Every agent, credential and API key is suspended until \`mintmark restore accept\`.`

const run = async (options: Options): Promise<void> => {
  const config = readMigrateConfig()
  if (options.yes !== true) await confirm(endsEveryToken(CONSEQUENCE))
  const { seq, suspended, kid } = await restoreStoreInPlace(config, cliOrigin())
  if (options.json === true) return printJson({ seq, kid, suspended: suspendedRecord(suspended) })
  printLine(`Every token in the store has ended; ${kid} signs from now on.`)
  printLine(`${formatSuspended(suspended)} are suspended until \`mintmark restore accept\`.`)
}

const addRestoreInPlace = (restore: Command): void => {
  const command = restore
    .command('epoch')
    .description('do what a restore does to a store that was put back by other means, as from a snapshot of its disk')
    .option('--json', 'print {"seq","kid","suspended"}')
    .option('--yes', 'do not ask')
  addExamples(localOnly(command), ['mintmark restore epoch --yes']).action(run)
}

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
