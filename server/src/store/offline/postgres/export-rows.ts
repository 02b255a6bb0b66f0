// Returns the rows of a database as they were at one moment, while the processes that serve it go on.
import type { CopiedRows } from '../copy-tables.ts'
import type { DatabaseAccess } from '../../postgres/connection/address.ts'
import { askRow, type Connection, readNow } from '../../postgres/connection/connection.ts'
import { runner } from '../../postgres/connection/run-program.ts'
import { rowsIn } from './table-rows.ts'
import { makeTransactions } from '../../postgres/writer/transactions.ts'
import { withStore } from '../../postgres/connection/with-connection.ts'

const NUMBERED = [
  'agent',
  'credential',
  'api_key',
  'signing_key',
  'scope_set',
  'audience_set',
  'trusted_issuer',
  'principal',
  'lineage',
  'act',
  'refused',
  'token_use',
  'late_use',
]

const NUMBERS = `${NUMBERED.map(
  name => `select '${name}' as name, coalesce(pg_sequence_last_value('${name}_n_seq'), 0) as n`,
).join(' union all ')} union all select what, n from given`

const readRows = async (connection: Connection): Promise<Omit<CopiedRows, 'madeAt'>> => {
  const { rows: numbers } = await runner.ask(connection, NUMBERS)
  const made = await askRow<Pick<CopiedRows, 'madeBy'>>(connection, 'select made_by as "madeBy" from service')
  return {
    rows: rowsIn(connection),
    lastGiven: new Map((numbers as readonly { name: string; n: number }[]).map(({ name, n }) => [name, n])),
    ...made,
  }
}

/** Runs `work` in one snapshot. */
export const exportRows = <T>(access: DatabaseAccess, work: (given: CopiedRows) => Promise<T>): Promise<T> =>
  withStore(access, async connection => {
    // Before the snapshot is taken.
    const madeAt = await readNow(connection)
    return makeTransactions(access).read(connection, async () => work({ ...(await readRows(connection)), madeAt }))
  })
