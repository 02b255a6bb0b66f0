// Makes the indexes that a migration takes over: while other processes serve where the tables hold rows, however long that takes.
import { askFirst, type Connection } from '../connection/connection.ts'
import { hasGivenWay } from '../connection/faults.ts'

/** An index under a name of its own, until the migration gives it the one that it takes the place of. */
export type NewIndex = {
  readonly name: string
  readonly table: string
  readonly isUnique: boolean
  /** In brackets, as they follow the name of the table. */
  readonly columns: string
}

const STATE = `select c.indisvalid as "isWhole",
    exists (select 1 from pg_stat_progress_create_index where index_relid = c.indexrelid) as "isInWork"
  from pg_index c where c.indexrelid = to_regclass($1)`

// A build that was broken off leaves an invalid index, which costs every write and serves no query: it is dropped first.
const makeIndex = async (connection: Connection, index: NewIndex, how: string): Promise<'made' | 'in_use'> => {
  const { name, table, isUnique, columns } = index
  const state = await askFirst<{ isWhole: boolean; isInWork: boolean }>(connection, STATE, name)
  if (state?.isWhole === true) return 'made'
  if (state?.isInWork === true) return 'in_use'
  if (state !== undefined) await connection.ask({ text: `drop index ${how} ${name}` })
  await connection.ask({ text: `create ${isUnique ? 'unique ' : ''}index ${how} ${name} on ${table} ${columns}` })
  return 'made'
}

/** `concurrently` outside of a transaction, `''` in one that has the tables for itself. `in_use`: another makes them. */
export const makeIndexes = async (
  connection: Connection,
  indexes: readonly NewIndex[],
  how: 'concurrently' | '',
): Promise<'made' | 'in_use'> => {
  try {
    for (const index of indexes) if ((await makeIndex(connection, index, how)) === 'in_use') return 'in_use'
    return 'made'
  } catch (fault) {
    if (how === 'concurrently' && hasGivenWay(fault)) return 'in_use'
    throw fault
  }
}
