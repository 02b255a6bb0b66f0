// Checks the audit log in the file of a store.
import { type Database, runProgram, statementsOf } from '../../sqlite/connection/database.ts'
import type { AuditVerdict } from '../../../domain/audit/seal.ts'
import { type AuditCheck, beginCheck } from '../verify-audit.ts'
import { openForReading, type OpenTiming } from '../../sqlite/connection/connection.ts'
import { closing } from './closing.ts'
import { lastGiven } from '../../sqlite/connection/transaction.ts'

export const checkAudit = (db: Database, check: AuditCheck): AuditVerdict => {
  const sql = statementsOf(db)
  const { step } = beginCheck(check, lastGiven)
  for (;;) {
    const verdict = db.transaction(() => runProgram(sql, step()))
    if (verdict !== 'more') return verdict
  }
}

type StoreToRead = { readonly file: string; readonly timing: OpenTiming }

/** Like checkAudit, on the store in a file. Throws StoreProblem with one line for a person. */
export const verifyAudit = ({ file, timing, ...check }: AuditCheck & StoreToRead): AuditVerdict => {
  using db = closing(openForReading(file, timing))
  return checkAudit(db, check)
}
