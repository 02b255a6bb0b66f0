// The record of backups that were made: an entry of the audit log for each, as of which moment it shows the store.
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Act } from '../../domain/audit/act.ts'
import { first, type Program } from '../statement-program.ts'
import { audit, type Transaction } from '../transaction.ts'

type RecordBackup = { readonly madeAt: Milliseconds; readonly act: Act }

/** The backup itself does not contain the entry. */
export const recordBackup = (tx: Transaction, { madeAt, act }: RecordBackup): Program<void> =>
  audit(tx, act, null, { made_at: madeAt })

const LAST = `select detail from audit where kind = 'store.backup' order by at desc, n desc limit 1`

/** The moment as of which the last recorded backup shows the store; null if none is recorded. */
export function* readLastBackup(): Program<Milliseconds | null> {
  const last = yield* first<{ detail: string }>(LAST)
  if (last === undefined) return null
  const { made_at: madeAt } = JSON.parse(last.detail) as { readonly made_at: number } // by recordBackup
  return madeAt
}
