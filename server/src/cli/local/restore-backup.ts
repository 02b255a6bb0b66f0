// mintmark restore from, or short: mintmark restore FILE
import type { Command } from 'commander'
import { planRestore, type PlannedRestore } from '../../compose/backup.ts'
import { nameOfStore } from '../../compose/store.ts'
import { type MigrateConfig, readMigrateConfig } from '../../config/config.ts'
import { formatTime } from '../../../../api/values/time.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { confirm, endsEveryToken } from '../terminal/confirm.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { formatCount, printJson, printLine, printRemark } from '../terminal/print.ts'
import { localOnly } from './local-only.ts'
import { withoutDigest } from './verify-backup.ts'
import { suspendedRecord, formatSuspended } from './show-restore.ts'

type Options = { readonly replace?: boolean; readonly yes?: boolean; readonly json?: boolean }

/** What ends with any restore. */
export const RESTORE_ENDS =
  'Every token ends (restored). Every signing key is retired and a new one signs; verifiers that check offline take tokens of the old keys until they expire.'

const WHAT_NEXT =
  'End again what was disabled, revoked or narrowed after that time; then `mintmark restore accept` lets the rest go on.'

const consequenceOf = ({ content, isStoreThere }: PlannedRestore, config: MigrateConfig): string =>
  [
    `This makes ${nameOfStore(config)} the store as of ${formatTime(content.madeAt)}, with ${formatCount(content.tokens, 'token')}.`,
    RESTORE_ENDS,
    `${formatSuspended(content)} are suspended until \`mintmark restore accept\`.`,
    isStoreThere
      ? 'The store that is there is kept under another name, and what it alone knows is lost to the service.'
      : 'What happened after that time is lost.',
  ].join(' ')

const run = async (file: string, options: Options): Promise<void> => {
  const config = readMigrateConfig()
  const plan = await planRestore(config, file, cliOrigin())
  if (!plan.content.hasDigest) printRemark(withoutDigest(file))
  const { replace = false } = options
  if (plan.isStoreThere && !replace) {
    throw new CommandFailed(
      `${config.databaseFile} is there already: set MINTMARK_DATA_DIR to an empty folder, or say --replace.`,
    )
  }
  if (options.yes !== true) await confirm(endsEveryToken(consequenceOf(plan, config)))
  const { seq, suspended, kid, aside } = await plan.run(replace)
  const madeAt = formatTime(plan.content.madeAt)
  if (options.json === true) {
    return printJson({ made_at: madeAt, seq, kid, replaced: aside, suspended: suspendedRecord(suspended) })
  }
  printLine(
    `${nameOfStore(config)} is the store as of ${madeAt}. Every token in it has ended; ${kid} signs from now on.`,
  )
  if (aside !== null) printLine(`The store that was there is kept as ${aside}.`)
  printLine(`${formatSuspended(suspended)} are suspended. ${WHAT_NEXT}`)
}

export const addRestoreBackup = (restore: Command): void => {
  const command = restore
    .command('from', { isDefault: true })
    .description('make a store of what `mintmark backup` wrote; needs the key-encryption key of that time')
    .argument('<file>', 'the backup; it stays as it is')
    .option('--replace', 'in the place of a store that nobody serves; it is kept under another name')
    .option('--json', 'print {"made_at","seq","kid","replaced","suspended"}')
    .option('--yes', 'do not ask')
  addExamples(localOnly(command), [
    'MINTMARK_DATA_DIR=restored mintmark restore from backup.db --yes',
    'mintmark restore from backup.db --replace --yes',
  ]).action(run)
}
