// The partitions of tokens, a day each by the time in their ids, and of ended ones, a week each by the time of their end.
import { LIFETIME_SECONDS_MAX } from '../../../../../api/values/limits.ts'
import { DAY_MS, type Milliseconds } from '../../../../../api/values/time.ts'
import { issuedAtOf, lowestIdAt } from '../../../domain/ledger/claims.ts'
import type { Connection } from '../connection/connection.ts'

/** How many partitions are made ahead, besides the present one. */
const AHEAD = 2

type Kind = { readonly table: 'token' | 'ended'; readonly spanMs: number; readonly bound: (at: Milliseconds) => string }

const KINDS: Readonly<Record<'token' | 'ended', Kind>> = {
  token: { table: 'token', spanMs: DAY_MS, bound: at => `'${lowestIdAt(at)}'` },
  ended: { table: 'ended', spanMs: 7 * DAY_MS, bound: String },
}

export type Partition = { readonly table: 'token' | 'ended'; readonly from: Milliseconds; readonly to: Milliseconds }

/** The name says what it holds: `token_20261121` the tokens of a day, `ended_20261119` what ended in the week from there on. */
export const nameOf = ({ table, from }: Partition): string =>
  `${table}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`

export const partitionAt = (table: Partition['table'], at: Milliseconds): Partition => {
  const { spanMs } = KINDS[table]
  const from = Math.floor(at / spanMs) * spanMs
  return { table, from, to: from + spanMs }
}

// The time of an end is by the clock of one process and that of an issue by another's, and they may be so far apart.
const CLOCKS_APART_MS = 60_000

/** Returns the times between which a token with this id may have ended: only those partitions are read. */
export const endedBetween = (tokenId: string): readonly [Milliseconds, Milliseconds] => {
  const issuedAt = issuedAtOf(tokenId)
  return [issuedAt - CLOCKS_APART_MS, issuedAt + 1000 * LIFETIME_SECONDS_MAX + CLOCKS_APART_MS]
}

/** Returns the partitions that take rows of `now`, and those that come next. */
const wantedAt = (now: Milliseconds): readonly Partition[] =>
  Object.values(KINDS).flatMap(({ table, spanMs }) =>
    Array.from({ length: AHEAD + 1 }, (_, n) => partitionAt(table, now + n * spanMs)),
  )

/** The lock of this transaction: one process makes partitions. */
const PARTITION_LOCK = 4_937_002

// Made apart and then attached: `create table … partition of` would lock the whole table against reading.
const make = async (connection: Connection, partition: Partition): Promise<void> => {
  const { table, from, to } = partition
  const { bound } = KINDS[table]
  const name = nameOf(partition)
  await connection.ask({ text: `create table ${name} (like ${table} including defaults including constraints)` })
  await connection.ask({
    text: `alter table ${table} attach partition ${name} for values from (${bound(from)}) to (${bound(to)})`,
  })
}

const EXISTING =
  'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass'

const namesIn = async (connection: Connection, table: string): Promise<ReadonlySet<string>> => {
  const { rows } = await connection.ask({ text: EXISTING, values: [table] })
  return new Set(rows.map(row => (row as { name: string }).name))
}

/** Which of those that are wanted at `now` are not there. */
export const missingPartitions = async (connection: Connection, now: Milliseconds): Promise<readonly Partition[]> => {
  const names = new Set([...(await namesIn(connection, 'token')), ...(await namesIn(connection, 'ended'))])
  return wantedAt(now).filter(partition => !names.has(nameOf(partition)))
}

const makeMissing = async (connection: Connection, missing: () => Promise<readonly Partition[]>): Promise<void> => {
  await connection.ask({ text: 'begin' })
  try {
    await connection.ask({ text: 'select pg_advisory_xact_lock($1)', values: [PARTITION_LOCK] })
    for (const partition of await missing()) await make(connection, partition)
    await connection.ask({ text: 'commit' })
  } catch (fault) {
    await connection.ask({ text: 'rollback' }).catch(connection.destroy)
    throw fault
  }
}

/** Makes what is missing at `now`, in a transaction of its own. Of two that do one finds nothing left to do. */
export const makePartitions = (connection: Connection, now: Milliseconds): Promise<void> =>
  makeMissing(connection, () => missingPartitions(connection, now))

/** Makes the one that takes rows of this table at this time, where it is missing. */
export const makePartitionFor = (connection: Connection, table: Partition['table'], at: Milliseconds): Promise<void> =>
  makeMissing(connection, async () => {
    const partition = partitionAt(table, at)
    return (await namesIn(connection, table)).has(nameOf(partition)) ? [] : [partition]
  })

const NAME = /^(token|ended)_(\d{4})(\d\d)(\d\d)$/

/** The partition that a table of this name is; undefined where it is none. */
export const partitionNamed = (name: string): Partition | undefined => {
  const [, table, year, month, day] = NAME.exec(name) ?? []
  if (table !== 'token' && table !== 'ended') return undefined
  return partitionAt(table, Date.UTC(Number(year), Number(month) - 1, Number(day)))
}
