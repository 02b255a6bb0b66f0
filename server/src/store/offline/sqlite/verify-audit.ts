// Checks the audit log in the file of a store.
import { type Database, runProgram, type Statements, statementsOf } from '../../sqlite/connection/database.ts'
import type { AuditVerdict } from '../../../domain/audit/seal.ts'
import { type AuditCheck, beginCheck } from '../verify-audit.ts'
import { openForReading } from '../../sqlite/connection/connection.ts'
import { lastGiven } from '../../sqlite/connection/transaction.ts'

const inSnapshot = <T>(sql: Statements, work: () => T): T => {
  sql('begin').run()
  try {
    return work()
  } finally {
    sql('commit').run()
  }
}

export const checkAudit = (db: Database, check: AuditCheck): AuditVerdict => {
  const sql = statementsOf(db)
  const { step } = beginCheck(check, lastGiven)
  for (;;) {
    const verdict = inSnapshot(sql, () => runProgram(sql, step()))
    if (verdict !== 'more') return verdict
  }
}

/** Like checkAudit, on the store in a file. Throws StoreProblem with one line for a person. */
export const verifyAudit = ({ file, ...check }: AuditCheck & { readonly file: string }): AuditVerdict => {
  const db = openForReading(file)
  try {
    return checkAudit(db, check)
  } finally {
    db.close()
  }
}
