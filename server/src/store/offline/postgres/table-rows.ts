// The rows of a database as they stand, read and written for a copy of a store.
import { pageStatement } from '../copy-tables.ts'
import type { Row, RowTarget, Table } from '../../tables.ts'
import type { Value } from '../../statement-program.ts'
import type { Connection } from '../../postgres/connection/connection.ts'
import { runner } from '../../postgres/connection/run-program.ts'
import { bulkOn, rowsOfAnswer } from './bulk-rows.ts'
import { issuedAtIn } from '../../ledger/token-rows.ts'
import { makePartitionFor, partitionAt, nameOf, type Partition } from '../../postgres/partitions/partitions.ts'

/** The place of a token or of an ended one in time; null for what has none. */
const timeOf = (table: Table, columns: readonly string[], row: Row): number | null => {
  const value = (name: string): Value => row[columns.indexOf(name)] ?? null
  const [id, at] = [value('id'), value('at')]
  if (table.name === 'token' && id instanceof Uint8Array) return issuedAtIn(id)
  return table.name === 'ended' && typeof at === 'number' ? at : null
}

/** Makes the partitions that rows need, each once. */
const makeMaker = (connection: Connection) => {
  const made = new Set<string>()
  return async (table: Partition['table'], times: readonly number[]): Promise<void> => {
    for (const at of times) {
      const name = nameOf(partitionAt(table, at))
      if (made.has(name)) continue
      await makePartitionFor(connection, table, at)
      made.add(name)
    }
  }
}

type DatabaseRows = RowTarget & {
  /** Makes what rows need before they are written. */
  readonly prepare: (table: Table, columns: readonly string[], rows: readonly Row[]) => Promise<void>
}

export const rowsIn = (connection: Connection, bulk = bulkOn(connection)): DatabaseRows => {
  const makeParts = makeMaker(connection)

  const prepare: DatabaseRows['prepare'] = async (table, columns, rows) => {
    if (table.name !== 'token' && table.name !== 'ended') return
    const times = rows.flatMap(row => timeOf(table, columns, row) ?? [])
    await makeParts(table.name, times)
  }

  return {
    prepare,
    columns: bulk.columns,
    page: async page => {
      const { text, values } = pageStatement(page)
      return rowsOfAnswer(await runner.ask(connection, text, ...values), page.columns)
    },
    write: async (table, columns, rows) => {
      await prepare(table, columns, rows)
      await bulk.insert(table, columns, rows, 'on conflict do nothing')
    },
  }
}
