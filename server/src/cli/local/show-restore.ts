// mintmark restore status
import type { Command } from 'commander'
import { readStoreRestore } from '../../compose/backup.ts'
import { readStoreConfig } from '../../config/config.ts'
import { isAnySuspended, NONE_SUSPENDED, type RestoreState, type Suspended } from '../../domain/restore.ts'
import { formatTime, formatTimeOrNull } from '../../../../api/values/time.ts'
import { formatCount, printJson, printLine } from '../terminal/print.ts'
import { completeLocal } from './local-only.ts'

/** Says when the store was restored, and from which time the backup was. */
export const reportRestore = ({ restoredAt, madeAt }: RestoreState): string =>
  `The store was restored at ${formatTime(restoredAt)}${madeAt === null ? '' : `, as of ${formatTime(madeAt)}`}.`

const reportState = (state: RestoreState | undefined): string => {
  if (state === undefined) return 'The store was never restored.'
  const { suspended } = state
  const waiting = isAnySuspended(suspended)
    ? `${formatSuspended(suspended)} are suspended until \`mintmark restore accept\`.`
    : 'Nothing is suspended any more.'
  return `${reportRestore(state)} ${waiting}`
}

const run = async ({ json }: { readonly json?: boolean }): Promise<void> => {
  const state = await readStoreRestore(readStoreConfig())
  if (json !== true) return printLine(reportState(state))
  printJson({
    restored_at: formatTimeOrNull(state?.restoredAt ?? null),
    made_at: formatTimeOrNull(state?.madeAt ?? null),
    suspended: suspendedRecord(state?.suspended ?? NONE_SUSPENDED),
  })
}

export const addShowRestore = (restore: Command): void => {
  const command = restore
    .command('status')
    .description('show when the store was last restored, and how much of it is still suspended')
    .option('--json', 'print {"restored_at","made_at","suspended"}')
  completeLocal(command, 'mintmark restore status').action(run)
}

/** How many of each kind, in words. */
export const formatSuspended = ({ agents, credentials, apiKeys, issuers }: Suspended): string =>
  `${formatCount(agents, 'agent')}, ${formatCount(credentials, 'credential')}, ${formatCount(apiKeys, 'API key')} and ${formatCount(issuers, 'trusted issuer')}`

export const suspendedRecord = ({ agents, credentials, apiKeys, issuers }: Suspended) => ({
  agents,
  credentials,
  api_keys: apiKeys,
  issuers,
})
