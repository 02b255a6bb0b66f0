// mintmark backup
import type { Command } from 'commander'
import { backupStore } from '../compose-backup.ts'
import { readStoreConfig } from '../config.ts'
import { formatTime } from '../domain/time.ts'
import { addExamples } from './examples.ts'
import { printJson, printLine } from './print.ts'
import { stayHere } from './stay-here.ts'
import { tellCount } from './tell-count.ts'
import { suspendedRecord } from './tell-suspended.ts'

type Options = { readonly force?: boolean; readonly json?: boolean }

const TELL_EVERY_MS = 500

/** Tells a person, on standard error, how much is copied. */
const makeProgress = (): { readonly onProgress: (part: number) => void; readonly end: () => void } => {
  let toldAt = 0
  return {
    onProgress: part => {
      if (!process.stderr.isTTY || Date.now() - toldAt < TELL_EVERY_MS) return
      toldAt = Date.now()
      process.stderr.write(`\r${Math.floor(100 * part)} % copied`)
    },
    end: () => void (toldAt > 0 && process.stderr.write('\n')),
  }
}

const run = async (target: string, { force = false, json }: Options): Promise<void> => {
  const progress = makeProgress()
  const made = await backupStore(readStoreConfig(), { target, force, onProgress: progress.onProgress })
  progress.end()
  const { file, madeAt, bytes, keyEncryptionKeyIds, tokens, ended, auditEntries } = made
  const time = formatTime(madeAt)
  if (json === true) {
    const counts = { tokens, ended, audit_entries: auditEntries, ...suspendedRecord(made) }
    return printJson({ file, made_at: time, bytes, ...counts, key_encryption_key_ids: keyEncryptionKeyIds })
  }
  const records = `${tellCount(tokens, 'token')} and ${tellCount(ended, 'ended one')}`
  printLine(
    `${file} holds the store as of ${time}: ${tellCount(made.agents, 'agent')}, ${records}; ${tellCount(bytes, 'byte')}.`,
  )
  printLine(
    `It does not hold the key-encryption key ${keyEncryptionKeyIds.join(', ')}: without that key it cannot be restored. Keep the two apart.`,
  )
}

export const addBackup = (program: Command): void => {
  const command = program
    .command('backup')
    .description('copy the store into one file, also while the service runs')
    .argument('<file>', 'where; it is there only once it is whole')
    .option('--force', 'replace a backup that is there')
    .option('--json', 'print {"file","made_at","bytes","tokens","ended","agents",…,"key_encryption_key_ids"}')
  addExamples(stayHere(command), ['mintmark backup nightly.db']).action(run)
}
