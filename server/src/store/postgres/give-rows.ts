// Gives the rows of a database as they were at one moment, while whoever serves it goes on.
import type { RowSource } from '../copy/tables.ts'
import type { StoreMaker } from '../store-options.ts'
import type { DatabaseAddress } from './address.ts'
import type { Connection } from './connection.ts'
import { driver } from './drive.ts'
import { refuseVersion, schemaVersionOf } from './migrations.ts'
import { connectPatiently } from './primary.ts'
import { rowsIn } from './table-rows.ts'
import { makeTransactions } from './transactions.ts'

export type GivenRows = {
  readonly rows: RowSource
  /** The last number that was given in a table. */
  readonly lastGiven: ReadonlyMap<string, number>
  readonly madeBy: StoreMaker
  /** Every act that was acknowledged before is in them. */
  readonly madeAt: number
}

const NUMBERED = ['agent', 'credential', 'api_key', 'signing_key', 'scope_set', 'audience_set', 'act', 'refused']

const NUMBERS = `${NUMBERED.map(
  name => `select '${name}' as name, coalesce(pg_sequence_last_value('${name}_n_seq'), 0) as n`,
).join(' union all ')} union all select what, n from given`

const look = async (connection: Connection): Promise<Omit<GivenRows, 'madeAt'>> => {
  const { rows: numbers } = await driver.ask(connection, NUMBERS)
  const { rows: made } = await driver.ask(connection, 'select made_by as "madeBy" from service')
  return {
    rows: rowsIn(connection),
    lastGiven: new Map((numbers as readonly { name: string; n: number }[]).map(({ name, n }) => [name, n])),
    madeBy: (made[0] as Pick<GivenRows, 'madeBy'>).madeBy,
  }
}

/** One snapshot for all of `work`. */
export const giveRows = async <T>(address: DatabaseAddress, work: (given: GivenRows) => Promise<T>): Promise<T> => {
  const connection = await connectPatiently(address)
  try {
    refuseVersion(await schemaVersionOf(connection), address)
    // Before the snapshot is taken.
    const { rows } = await driver.ask(connection, 'select mintmark_now() as now')
    const madeAt = (rows[0] as { now: number }).now
    return await makeTransactions(address).read(connection, async () => work({ ...(await look(connection)), madeAt }))
  } finally {
    await connection.close()
  }
}
