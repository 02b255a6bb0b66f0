// Fills partitions that are closed without their indexes, which are then built at once, as packing would: half the time.
// The newest of them is left to be filled row by row, and packed by the maintenance.
import type pg from 'pg'
import { type Partition, nameOf, partitionNamed } from '../../../server/src/store/postgres/partitions/partitions.ts'
import type { Span } from '../../../testkit/stores/fill-store.ts'

/** Fills `into`, a table or one of its partitions, over a part of the whole span: with this share of all rows. */
type BackfillPart = (into: string, span: Span, share: number) => Promise<unknown>

const DAY_MS = 86_400_000

const LEAVES = `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1`

type Leaf = { readonly partition: Partition; readonly bound: string }

const leavesOf = async (client: pg.Client, table: string): Promise<readonly Leaf[]> => {
  const { rows } = await client.query<{ name: string; bound: string }>(LEAVES, [table])
  return rows.flatMap(({ name, bound }) => {
    const partition = partitionNamed(name)
    return partition === undefined ? [] : [{ partition, bound }]
  })
}

const INDEXES = `select case when k.oid is null then pg_get_indexdef(x.indexrelid)
      else 'alter table ' || x.indrelid::regclass || ' add ' || pg_get_constraintdef(k.oid) end as make,
    case when k.oid is null then 'drop index ' || x.indexrelid::regclass
      else 'alter table ' || x.indrelid::regclass || ' drop constraint ' || quote_ident(k.conname) end as drop
  from pg_index x left join pg_constraint k on k.conindid = x.indexrelid where x.indrelid = $1::regclass`

/** The parameters of an index stand before its condition. */
const filledUp = (make: string): string => make.replace(/(?= WHERE |$)/, ' with (fillfactor = 100)')

const fillBare = async (client: pg.Client, { partition, bound }: Leaf, fill: () => Promise<unknown>): Promise<void> => {
  const name = nameOf(partition)
  await client.query(`alter table ${partition.table} detach partition ${name}`)
  const { rows } = await client.query<{ make: string; drop: string }>(INDEXES, [name])
  for (const { drop } of rows) await client.query(drop)
  await fill()
  for (const { make } of rows) await client.query(filledUp(make))
  await client.query(`comment on table ${name} is 'packed'`)
  await client.query(`alter table ${partition.table} attach partition ${name} ${bound}`)
}

/** Fills the whole span of a table, oldest first. */
export const fillPartitions = async (
  client: pg.Client,
  table: Partition['table'],
  span: Span,
  fill: BackfillPart,
): Promise<void> => {
  const closedBefore = Date.now() - DAY_MS
  const shareOf = ({ oldest, newest }: Span): number => (newest - oldest) / (span.newest - span.oldest)
  const closed = (await leavesOf(client, table)).filter(
    ({ partition: { to } }) => to > span.oldest && to <= Math.min(closedBefore, span.newest),
  )
  let done = span.oldest
  for (const leaf of closed.slice(0, -1)) {
    const part = { oldest: done, newest: leaf.partition.to }
    await fillBare(client, leaf, () => fill(nameOf(leaf.partition), part, shareOf(part)))
    done = part.newest
  }
  const rest = { oldest: done, newest: span.newest }
  await fill(table, rest, shareOf(rest))
}
