// The row of numbers, read without a script: every group of reads, and every transaction, begins with it.
import { SERVICE_ROW, type ServiceRow } from '../../service-row.ts'
import type { Statements } from '../connection/statements.ts'

export const readServiceRow = (sql: Statements): ServiceRow => {
  const row = sql<ServiceRow>(SERVICE_ROW).get()
  if (row === undefined) throw new Error('The store has no service row.')
  return row
}
