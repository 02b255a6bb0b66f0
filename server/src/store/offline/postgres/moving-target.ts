// A database as the target of a move: it takes rows and their changes, knows how far it is, and is no store before the end.
import type { MoveState, MoveTarget } from '../moving.ts'
import type { TableDigest } from '../copy-tables.ts'
import type { Row, Table } from '../../tables.ts'
import { bulkOn, rowsOfAnswer } from './bulk-rows.ts'
import { askRow, askFirst, type Connection } from '../../postgres/connection/connection.ts'
import { runner } from '../../postgres/connection/run-program.ts'
import { connectPatiently } from '../../postgres/connection/primary.ts'
import { isCopyThere } from '../../postgres/connection/search-path.ts'
import { beginCopy, type CopyAccess, lastKey, settleRows } from './import-store.ts'
import { rowsIn } from './table-rows.ts'
import { makeTransactions } from '../../postgres/writer/transactions.ts'
import { withConnection } from '../../postgres/connection/with-connection.ts'

const STATE_COLUMNS = `alter table copying add column if not exists stage text not null default 'registers',
  add column if not exists change bigint not null default 0, add column if not exists tables text not null default '[]'`

type StateRow = Omit<MoveState, 'tables'> & { readonly tables: string }

const readState = async (connection: Connection): Promise<MoveState> => {
  const { tables, ...state } = await askRow<StateRow>(connection, 'select stage, change, tables from copying')
  return { ...state, tables: JSON.parse(tables) as readonly TableDigest[] } // as this file writes it
}

const writeState = async (connection: Connection, next: Partial<MoveState>): Promise<void> => {
  const { stage, change, tables } = { ...(await readState(connection)), ...next }
  await runner.ask(
    connection,
    'update copying set stage = ?, change = ?, tables = ?',
    stage,
    change,
    JSON.stringify(tables),
  )
}

// Two rows may swap names, or the state `current`: the first of them is written while the second still has its old value.
const RELEASES: Readonly<Record<string, string>> = { agent: 'deleted_at = 0', signing_key: `state = 'retained'` }

// Where the key of the table here is longer than the one that identifies its rows.
const CONFLICTS: Readonly<Record<string, readonly string[]>> = { ended: ['id', 'at'] }

const sameKey = ({ key }: Table): string => key.map(column => `found.${column} = given.${column}`).join(' and ')

const onConflict = ({ name, key }: Table, columns: readonly string[]): string => {
  const unique = CONFLICTS[name] ?? key
  const others = columns.filter(column => !unique.includes(column))
  const set = others.map(column => `${column} = excluded.${column}`).join(', ')
  return `on conflict (${unique.join(', ')}) do ${set === '' ? 'nothing' : `update set ${set}`}`
}

const rowsByKey = (
  connection: Connection,
  bulk: ReturnType<typeof bulkOn>,
): Pick<MoveTarget, 'remove' | 'release' | 'replace' | 'rowsAt'> => {
  const givenKeys = (table: Table, keys: readonly Row[]) => bulk.listed(table, table.key, keys)
  /** Runs what `change` says of the keys, up to the condition, on the rows that have them. */
  const changeAt = async (table: Table, keys: readonly Row[], change: (given: string) => string): Promise<void> => {
    if (keys.length === 0) return
    const { text, values } = await givenKeys(table, keys)
    await runner.ask(connection, `${change(text)} where ${sameKey(table)}`, ...values)
  }
  return {
    remove: (table, keys) => changeAt(table, keys, given => `delete from ${table.name} as found using ${given}`),
    release: async (table, keys) => {
      const set = RELEASES[table.name]
      if (set === undefined) return
      await changeAt(table, keys, given => `update ${table.name} as found set ${set} from ${given}`)
    },
    replace: async (table, columns, rows) => {
      if (rows.length > 0) await bulk.insert(table, columns, rows, onConflict(table, columns))
    },
    rowsAt: async (table, columns, keys) => {
      const { text, values } = await givenKeys(table, keys)
      // One partition a key, where the key names it.
      const one = `select found.* from ${table.name} as found where ${sameKey(table)} limit 1`
      const wanted = columns.map(column => `row.${column}`).join(', ')
      const select = `select ${wanted} from ${text} cross join lateral (${one}) as row`
      return rowsOfAnswer(await runner.ask(connection, select, ...values), columns)
    },
  }
}

const targetOf = (connection: Connection, access: CopyAccess): MoveTarget => {
  const [bulk, { write }] = [bulkOn(connection), makeTransactions(access)]
  return {
    ...rowsIn(connection, bulk),
    ...rowsByKey(connection, bulk),
    state: () => readState(connection),
    advance: (next, work) =>
      write(connection, async () => {
        await work?.()
        await writeState(connection, next)
      }),
    lastKey: table => lastKey(connection, table),
    clear: async ({ name }) => void (await connection.ask({ text: `delete from ${name}` })),
    settleRows: given => settleRows(connection, given),
    analyze: async () => void (await connection.ask({ text: 'analyze' })),
  }
}

const MARK = 'select mark from copying where exists (select 1 from service)'

/** Whether it became the store of this move before. */
const isDone = async (connection: Connection, id: string): Promise<boolean> => {
  if (!(await isCopyThere(connection))) return false
  return (await askFirst<{ mark: string }>(connection, MARK))?.mark === id
}

/** Throws StoreProblem with one line for a person. */
export const withTarget = <T>(
  access: CopyAccess,
  { id, now }: { readonly id: string; readonly now: number },
  work: (target: MoveTarget) => Promise<T>,
): Promise<T> =>
  withConnection(connectPatiently(access), async connection => {
    if (!(await isDone(connection, id))) {
      await beginCopy(connection, { ...access, mark: id, now })
      await connection.ask({ text: STATE_COLUMNS })
    }
    return work(targetOf(connection, access))
  })
