// mintmark restore status
import type { Command } from 'commander'
import { readStoreRestore } from '../compose-backup.ts'
import { readStoreConfig } from '../config.ts'
import { isAnySuspended, type RestoreState } from '../domain/restore.ts'
import { formatTime, formatTimeOrNull } from '../domain/time.ts'
import { addExamples } from './examples.ts'
import { printJson, printLine } from './print.ts'
import { stayHere } from './stay-here.ts'
import { suspendedRecord, tellSuspended } from './tell-suspended.ts'

/** What a store is as of, where it was restored. */
export const tellRestore = ({ restoredAt, madeAt }: RestoreState): string =>
  `The store was restored at ${formatTime(restoredAt)}${madeAt === null ? '' : `, as of ${formatTime(madeAt)}`}.`

const tellState = (state: RestoreState | undefined): string => {
  if (state === undefined) return 'The store was never restored.'
  const { suspended } = state
  const waiting = isAnySuspended(suspended)
    ? `${tellSuspended(suspended)} are suspended until \`mintmark restore accept\`.`
    : 'Nothing is suspended any more.'
  return `${tellRestore(state)} ${waiting}`
}

const run = async ({ json }: { readonly json?: boolean }): Promise<void> => {
  const state = await readStoreRestore(readStoreConfig())
  if (json !== true) return printLine(tellState(state))
  printJson({
    restored_at: formatTimeOrNull(state?.restoredAt ?? null),
    made_at: formatTimeOrNull(state?.madeAt ?? null),
    suspended: suspendedRecord(state?.suspended ?? { agents: 0, credentials: 0, apiKeys: 0 }),
  })
}

export const addShowRestore = (restore: Command): void => {
  const command = restore
    .command('status')
    .description('show when the store was last restored, and how much of it is still suspended')
    .option('--json', 'print {"restored_at","made_at","suspended"}')
  addExamples(stayHere(command), ['mintmark restore status']).action(run)
}
