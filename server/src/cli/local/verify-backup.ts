// mintmark backup verify
import type { Command } from 'commander'
import { verifyStoreBackup } from '../../compose/backup.ts'
import { formatTime } from '../../../../api/values/time.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { localOnly } from './local-only.ts'

/** The warning for a backup that can be restored all the same. */
export const withoutDigest = (file: string): string =>
  `${file} has no digest, for an older version of Mintmark made it: whether it is as it was written cannot be known.`

const run = async (file: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const { hasDigest, madeAt } = await verifyStoreBackup(file)
  const time = formatTime(madeAt)
  if (json === true) printJson({ file, made_at: time, digest: hasDigest ? 'good' : null })
  if (!hasDigest) throw new CommandFailed(withoutDigest(file))
  if (json !== true) printLine(`${file} is as it was written, and holds a store as of ${time}.`)
}

export const addVerifyBackup = (backup: Command): void => {
  const command = backup
    .command('verify')
    .description('check a backup against its digest; it needs no key, and restores nothing')
    .argument('<file>', 'the backup')
    .option('--json', 'print {"file","made_at","digest"}: good, or null where an older version made it')
  addExamples(localOnly(command), ['mintmark backup verify backup.db']).action(run)
}
