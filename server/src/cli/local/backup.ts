// In this folder: commands on the store or the process of this machine, which have no endpoint. compose/ wires what they run.
// mintmark backup, mintmark backup verify
import type { Command } from 'commander'
import { type BackupMade, backupStore, recordStoreBackup, verifyStoreBackup } from '../../compose/backup.ts'
import { timingOf } from '../../compose/timing.ts'
import { readStoreConfig, type StoreConfig } from '../../config/config.ts'
import { formatTime } from '../../../../api/values/time.ts'
import { isStandardOutput } from '../../files/output.ts'
import type { Timing } from '../../ports/timing.ts'
import { cliOrigin } from '../remote/cli-origin.ts'
import { addExamples } from '../terminal/examples.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { formatCount, printError, printJson, printLine, printRemark } from '../terminal/print.ts'
import { completeLocal } from './local-only.ts'
import { suspendedRecord } from './show-restore.ts'

type Options = { readonly force?: boolean; readonly json?: boolean }

/** Prints for a person, on standard error, how much is copied. */
const makeProgress = ({ progressMs }: Pick<Timing, 'progressMs'>) => {
  let reportedAt = 0
  return {
    onProgress: (part: number): void => {
      if (!process.stderr.isTTY || Date.now() - reportedAt < progressMs) return
      reportedAt = Date.now()
      process.stderr.write(`\r${Math.floor(100 * part)} % copied`)
    },
    end: (): void => void (reportedAt > 0 && process.stderr.write('\n')),
  }
}

/** The backup is good without: a person is warned, and the command succeeds. */
const recordOrWarn = async (config: StoreConfig, madeAt: number): Promise<void> => {
  try {
    await recordStoreBackup(config, madeAt, cliOrigin())
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault)
    printError(`the backup is complete, but the store could not record it: ${reason}`)
  }
}

const recordOf = (made: BackupMade) => {
  const { file, madeAt, bytes, keyEncryptionKeyIds, tokens, ended, auditEntries } = made
  const counts = { tokens, ended, audit_entries: auditEntries, ...suspendedRecord(made) }
  return { file, made_at: formatTime(madeAt), bytes, ...counts, key_encryption_key_ids: keyEncryptionKeyIds }
}

const describe = ({ file, madeAt, bytes, keyEncryptionKeyIds, tokens, ended, agents }: BackupMade): string => {
  const records = `${formatCount(tokens, 'token')} and ${formatCount(ended, 'ended one')}`
  return [
    `${file} holds the store as of ${formatTime(madeAt)}: ${formatCount(agents, 'agent')}, ${records}; ${formatCount(bytes, 'byte')}.`,
    `It does not hold the key-encryption key ${keyEncryptionKeyIds.join(', ')}: without that key it cannot be restored. Keep the two apart.`,
  ].join('\n')
}

const run = async (target: string, { force = false, json }: Options): Promise<void> => {
  const progress = makeProgress(timingOf())
  const config = readStoreConfig()
  // Nothing is mixed into a backup that goes to standard output.
  const print = isStandardOutput(target) ? printRemark : printLine
  const made = await backupStore(config, { target, force, onProgress: progress.onProgress })
  progress.end()
  await recordOrWarn(config, made.madeAt)
  print(json === true ? JSON.stringify(recordOf(made)) : describe(made))
}

const addMakeBackup = (backup: Command): void => {
  const command = backup
    .command('to', { isDefault: true })
    .description('copy the store into one file, also while the service runs')
    .argument('<file>', 'where; it is there only once it is whole; or a pipe or a device')
    .option('--force', 'replace a backup that is there')
    .option('--json', 'print {"file","made_at","bytes","tokens","ended","agents",…,"key_encryption_key_ids"}')
  completeLocal(command, 'mintmark backup to nightly.db').action(run)
}

/** The warning for a backup that can be restored all the same. */
export const withoutDigest = (file: string): string =>
  `${file} has no digest, for an older version of Mintmark made it: whether it is as it was written cannot be known.`

const runVerify = async (file: string, { json }: { readonly json?: boolean }): Promise<void> => {
  const { hasDigest, madeAt } = await verifyStoreBackup(file)
  const time = formatTime(madeAt)
  if (json === true) printJson({ file, made_at: time, digest: hasDigest ? 'good' : null })
  if (!hasDigest) throw new CommandFailed(withoutDigest(file))
  if (json !== true) printLine(`${file} is as it was written, and holds a store as of ${time}.`)
}

const addVerifyBackup = (backup: Command): void => {
  const command = backup
    .command('verify')
    .description('check a backup against its digest; it needs no key, and restores nothing')
    .argument('<file>', 'the backup')
    .option('--json', 'print {"file","made_at","digest"}: good, or null where an older version made it')
  completeLocal(command, 'mintmark backup verify backup.db').action(runVerify)
}

export const addBackup = (program: Command): void => {
  const backup = program
    .command('backup')
    .description('copy the store into one file: `mintmark backup FILE`; and check such a file')
  for (const addTo of [addMakeBackup, addVerifyBackup]) addTo(backup)
  addExamples(backup, ['mintmark backup nightly.db', 'mintmark backup verify backup.db'])
}
