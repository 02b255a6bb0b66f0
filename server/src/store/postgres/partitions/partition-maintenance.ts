// Keeps the partitions: makes the next ones ahead, packs the indexes of those that are closed, drops what was kept long
// enough. Any replica does it; what one has done the next finds done.
import { LIFETIME_SECONDS_MAX } from '../../../../../api/values/limits.ts'
import { DAY_MS, type Milliseconds } from '../../../../../api/values/time.ts'
import { askRow, type Connection } from '../connection/connection.ts'
import { makePartitions, missingPartitions, type Partition, partitionNamed } from './partitions.ts'

/** How long ended tokens are kept, by how they ended. */
type Kept = { readonly expiredMs: number; readonly endedMs: number }

/** The time after its last token from which nothing in a partition of tokens changes any more. */
const UNCHANGED_AFTER_MS = 1000 * LIFETIME_SECONDS_MAX

/**
 * The time after its end from which nothing is added to a partition any more. The time of a token's id is the store's within two
 * seconds; a token that a large act ended is written down at the time of the act, however long the backfill took.
 */
const CLOSED_AFTER_MS: Readonly<Record<Partition['table'], number>> = { token: 300_000, ended: DAY_MS }

const TABLES = `select c.relname as name, p.relname as parent, coalesce(i.inhdetachpending, false) as pending,
    coalesce(obj_description(c.oid, 'pg_class'), '') as note
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
  where c.relkind = 'r' and c.relnamespace = (select relnamespace from pg_class where oid = 'token'::regclass)
  order by c.relname`

type Table = {
  readonly name: string
  /** Null if it was detached, and not dropped. */
  readonly parent: string | null
  readonly pending: boolean
  readonly note: string
}

type PartitionTable = Table & { readonly partition: Partition }

const readTables = async (connection: Connection): Promise<readonly PartitionTable[]> => {
  const { rows } = await connection.ask({ text: TABLES })
  return rows.flatMap(row => {
    const table = row as Table // as the statement lists it
    const partition = partitionNamed(table.name)
    return partition === undefined ? [] : [{ ...table, partition }]
  })
}

/** Nothing in it must be kept any more. */
const isOver = ({ table, to }: Partition, { expiredMs, endedMs }: Kept, now: Milliseconds): boolean =>
  (table === 'token' ? to + UNCHANGED_AFTER_MS + expiredMs : to + endedMs) <= now

const isClosed = ({ table, to }: Partition, now: Milliseconds): boolean => to + CLOSED_AFTER_MS[table] <= now

// Detached while others read and write, outside of a transaction as PostgreSQL wants it; what was broken off before is
// finished. Another replica may have been faster.
const drop = async (connection: Connection, { name, parent, pending }: PartitionTable): Promise<void> => {
  if (parent !== null) {
    const how = pending ? 'finalize' : 'concurrently'
    await connection.ask({ text: `alter table ${parent} detach partition ${name} ${how}` })
  }
  await connection.ask({ text: `drop table if exists ${name}` })
}

const PACKED = 'packed'

const INDEXES = `select indexrelid::regclass::text as name, indisvalid as "isWhole" from pg_index
  where indrelid = $1::regclass order by 1`

// As written an index of a partition is a third to a half empty. Nothing is added to it any more: so no room is left in it.
// A reindexing that the database broke off has left an index that is not whole, and that no other takes away.
const pack = async (connection: Connection, { name }: PartitionTable): Promise<void> => {
  const { rows } = await connection.ask({ text: INDEXES, values: [name] })
  for (const index of rows as readonly { name: string; isWhole: boolean }[]) {
    const text = index.isWhole
      ? `alter index ${index.name} set (fillfactor = 100)`
      : `drop index concurrently ${index.name}`
    await connection.ask({ text })
  }
  await connection.ask({ text: `reindex table concurrently ${name}` })
  await connection.ask({ text: `comment on table ${name} is '${PACKED}'` })
}

const MAINTENANCE_LOCK = 4_937_004

const TRY_LOCK = 'select pg_try_advisory_xact_lock($1) as "isMine"'

// The work cannot run in a transaction, and behind a pooler a session cannot hold a lock: so a transaction on another connection holds
// the lock meanwhile. Detaching and packing wait for all older snapshots. That transaction has none, once another statement has
// replaced the one that took the lock.
const aloneWith = async (connection: Connection, work: () => Promise<void>): Promise<void> => {
  await connection.ask({ text: 'begin isolation level read committed' })
  const { isMine } = await askRow<{ isMine: boolean }>(connection, TRY_LOCK, MAINTENANCE_LOCK)
  await connection.ask({ text: 'set local idle_in_transaction_session_timeout = 0' })
  if (isMine) await work()
  await connection.ask({ text: 'commit' })
}

const NO_OPEN_CUTOFF = `select not exists (select 1 from cutoff where state = 'open') as "isFree"`

// While a cut-off is being backfilled nothing is removed, so that each ended token gets its record first.
const mayDrop = async (connection: Connection): Promise<boolean> =>
  (await askRow<{ isFree: boolean }>(connection, NO_OPEN_CUTOFF)).isFree

const tidy = async (connection: Connection, kept: Kept, now: Milliseconds): Promise<void> => {
  const tables = await readTables(connection)
  const over = tables.filter(({ partition, parent }) => parent === null || isOver(partition, kept, now))
  if (over.length > 0 && (await mayDrop(connection))) for (const table of over) await drop(connection, table)
  const closed = tables.filter(table => !over.includes(table) && isClosed(table.partition, now))
  for (const table of closed.filter(({ note }) => note !== PACKED)) await pack(connection, table)
}

/** One round, on patient connections of its own. What it drops and packs it does alone. */
export const keepPartitions = async (
  connect: () => Promise<Connection>,
  kept: Kept,
  now: Milliseconds,
): Promise<void> => {
  await using opened = new AsyncDisposableStack()
  const open = async () => opened.adopt(await connect(), connection => connection.close())
  const working = await open()
  if ((await missingPartitions(working, now)).length > 0) await makePartitions(working, now)
  await aloneWith(await open(), () => tidy(working, kept, now))
}
