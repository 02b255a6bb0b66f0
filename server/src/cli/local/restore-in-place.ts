// mintmark restore epoch
import type { Command } from 'commander'
import { restoreStoreInPlace } from '../../compose/backup.ts'
import { readMigrateConfig } from '../../config/config.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { confirm, endsEveryToken } from '../terminal/confirm.ts'
import { addExamples } from '../terminal/examples.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { RESTORE_ENDS } from './restore-backup.ts'
import { localOnly } from './local-only.ts'
import { suspendedRecord, formatSuspended } from './show-restore.ts'

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

export const addRestoreInPlace = (restore: Command): void => {
  const command = restore
    .command('epoch')
    .description('do what a restore does to a store that was put back by other means, as from a snapshot of its disk')
    .option('--json', 'print {"seq","kid","suspended"}')
    .option('--yes', 'do not ask')
  addExamples(localOnly(command), ['mintmark restore epoch --yes']).action(run)
}
