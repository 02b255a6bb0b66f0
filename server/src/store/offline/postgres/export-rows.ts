// Returns the rows of a database as they were at one moment, while the processes that serve it go on.
import type { RowSource } from '../../tables.ts'
import type { StoreMaker } from '../../store-options.ts'
import type { DatabaseAccess } from '../../postgres/connection/address.ts'
import type { Connection } from '../../postgres/connection/connection.ts'
import { runner } from '../../postgres/connection/run-program.ts'
import { rowsIn } from './table-rows.ts'
import { makeTransactions } from '../../postgres/writer/transactions.ts'
import { withStore } from '../../postgres/connection/with-connection.ts'

export type ExportedRows = {
  readonly rows: RowSource
  /** The last number that was given in a table. */
  readonly lastGiven: ReadonlyMap<string, number>
  readonly madeBy: StoreMaker
  /** Every act that was acknowledged before is in them. */
  readonly madeAt: number
}

const NUMBERED = [
  'agent',
  'credential',
  'api_key',
  'signing_key',
  'scope_set',
  'audience_set',
  'act',
  'refused',
  'token_use',
  'late_use',
]

const NUMBERS = `${NUMBERED.map(
  name => `select '${name}' as name, coalesce(pg_sequence_last_value('${name}_n_seq'), 0) as n`,
).join(' union all ')} union all select what, n from given`

const readRows = async (connection: Connection): Promise<Omit<ExportedRows, 'madeAt'>> => {
  const { rows: numbers } = await runner.ask(connection, NUMBERS)
  const { rows: made } = await runner.ask(connection, 'select made_by as "madeBy" from service')
  return {
    rows: rowsIn(connection),
    lastGiven: new Map((numbers as readonly { name: string; n: number }[]).map(({ name, n }) => [name, n])),
    madeBy: (made[0] as Pick<ExportedRows, 'madeBy'>).madeBy,
  }
}

/** Runs `work` in one snapshot. */
export const exportRows = <T>(access: DatabaseAccess, work: (given: ExportedRows) => Promise<T>): Promise<T> =>
  withStore(access, async connection => {
    // Before the snapshot is taken.
    const { rows } = await runner.ask(connection, 'select mintmark_now() as now')
    const madeAt = (rows[0] as { now: number }).now
    return makeTransactions(access).read(connection, async () => work({ ...(await readRows(connection)), madeAt }))
  })
