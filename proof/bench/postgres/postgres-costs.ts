// What a store on PostgreSQL costs beside time: bytes of each table and index, processor time of its connections, and the
// pages that the statements of the lists touch.
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { REASONS } from '../../../api/values/reason.ts'
import { ABOVE_EVERY_ID, lowestIdAt } from '../../../server/src/domain/ledger/claims.ts'
import type { Connection } from '../../../server/src/store/postgres/connection/connection.ts'
import {
  type FilledStore,
  LIVE_LIFETIME_SECONDS,
  REASONS_GIVEN,
  type Span,
} from '../../../testkit/stores/fill-store.ts'
import { endedRanges, tokenRanges } from '../../../testkit/stores/list-statements.ts'

/** The bytes of the partitions of one table, either the packed or the others. */
export type Bytes = {
  readonly table: string
  readonly isPacked: boolean
  readonly rows: number
  /** The table itself first, then each index by what it is called in every partition. */
  readonly parts: ReadonlyMap<string, number>
}

const THE_ROWS = 'the rows'

// An index of a partition is called after the partition; its name shows whose part it is.
const BYTES = `with leaf as (
    select p.relname as table, c.oid, greatest(c.reltuples, 0)::bigint as rows,
      coalesce(obj_description(c.oid, 'pg_class'), '') = 'packed' as packed
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.oid in ('token'::regclass, 'ended'::regclass))
  select l.table, l.packed, '${THE_ROWS}' as part, sum(l.rows) as rows, sum(pg_table_size(l.oid)) as bytes
    from leaf l group by 1, 2
  union all
  select l.table, l.packed, whole.relname, sum(l.rows), sum(pg_relation_size(x.indexrelid))
    from leaf l join pg_index x on x.indrelid = l.oid join pg_inherits i on i.inhrelid = x.indexrelid
      join pg_class whole on whole.oid = i.inhparent group by 1, 2, 3
  order by 1, 2, 3 desc`

type BytesRow = {
  readonly table: string
  readonly packed: boolean
  readonly part: string
  readonly rows: string
  readonly bytes: string
}

export const readBytes = async (client: pg.Client): Promise<readonly Bytes[]> => {
  const { rows } = await client.query<BytesRow>(BYTES)
  return [...Map.groupBy(rows, ({ table, packed }) => `${table} ${packed}`).values()].map(parts => ({
    table: parts[0]?.table ?? '',
    isPacked: parts[0]?.packed === true,
    rows: Number(parts[0]?.rows),
    parts: new Map(parts.map(({ part, bytes }) => [part, Number(bytes)])),
  }))
}

/** Returns the bytes of a row, all parts together. */
export const bytesEach = ({ rows, parts }: Bytes): number =>
  [...parts.values()].reduce((sum, one) => sum + one, 0) / rows

// A page of 8 KiB has a header of 24 bytes; a row of `token` takes 24 bytes, its columns 64, its pointer 4.
const PAGE_BYTES = 8192
const TOKENS_A_PAGE = Math.floor((PAGE_BYTES - 24) / (24 + 64 + 4))

/** Bytes of `token` in which rows of tokens stood that were ended early. */
export const holeBytes = ({ table, rows, parts }: Bytes): number =>
  table === 'token' ? Math.max(0, (parts.get(THE_ROWS) ?? 0) - (rows / TOKENS_A_PAGE) * PAGE_BYTES) : 0

const BACKENDS = `select pid from pg_stat_activity where datname = $1 and backend_type = 'client backend' and application_name = 'mintmark'`

const readMicroseconds = (file: string): number => {
  try {
    return Number(readFileSync(file, 'latin1').split(' ')[0]) / 1000
  } catch {
    return Number.NaN
  }
}

/**
 * Microseconds on a processor of all connections that the service has to a database, by the kernel's books; NaN where they
 * cannot be read. Connections that are made later do not count.
 */
export const meterBackends = async (client: pg.Client, database: string): Promise<() => number> => {
  const { rows } = await client.query<{ pid: number }>(BACKENDS, [database])
  const files = rows.map(({ pid }) => `/proc/${pid}/schedstat`)
  return () => files.reduce((sum, file) => sum + readMicroseconds(file), 0)
}

const PAGE = 101

type Asked = { readonly name: string; readonly text: string; readonly values: readonly unknown[] }

const instantIn = ({ oldest, newest }: Span, share: number): number => Math.floor(oldest + (newest - oldest) * share)

type Numbers = { readonly agent: number; readonly scope: number }

/** The ways to the rows of a page that both stores have rows for, each by what its statements begin to ask for. */
const WAYS: readonly {
  readonly access: string
  readonly token: string
  readonly ended: string
  readonly keys: (numbers: Numbers) => readonly number[]
}[] = [
  { access: '', token: 'where life = ?', ended: 'where reason = ?', keys: () => [] },
  { access: ', an agent', token: 'where agent = ?', ended: 'where agent = ?', keys: ({ agent }) => [agent] },
  { access: ', a scope set', token: 'where scope = ?', ended: 'where scope = ?', keys: ({ scope }) => [scope] },
]

const statementWith = (statements: readonly string[], condition: string): string => {
  const found = statements.find(text => text.includes(condition))
  if (found === undefined) throw new Error(`No statement of a list has ${condition}.`)
  return found
}

/** The statements that a page consists of, each at three depths. */
const rangesOf = ({ live, ended }: FilledStore, numbers: Numbers): readonly Asked[] => {
  const reason = REASONS[REASONS_GIVEN[0] ?? 'manual_revocation']
  // So far from the end even a page of the small store is full.
  const depths = { middle: 0.5, deep: 0.25 }
  const tokenAt = {
    first: ABOVE_EVERY_ID,
    middle: lowestIdAt(instantIn(live, depths.middle)),
    deep: lowestIdAt(instantIn(live, depths.deep)),
  }
  const endedAt = {
    first: Number.MAX_SAFE_INTEGER,
    middle: instantIn(ended, depths.middle),
    deep: instantIn(ended, depths.deep),
  }
  const tokens = WAYS.flatMap(({ access, token, keys }) =>
    Object.entries(tokenAt).map(([depth, below]) => ({
      name: `live tokens${access}, ${depth}`,
      text: statementWith(tokenRanges(), token),
      values: [...keys(numbers), LIVE_LIFETIME_SECONDS, lowestIdAt(live.oldest - 60_000), below, PAGE],
    })),
  )
  const endings = WAYS.flatMap(({ access, ended: condition, keys }) => {
    const text = statementWith(endedRanges(), condition)
    const reasons = text.includes('reason = ?') ? [reason] : []
    return Object.entries(endedAt).map(([depth, at]) => ({
      name: `ended${access}${reasons.length === 0 ? '' : ', a reason'}, ${depth}`,
      text,
      values: [...keys(numbers), ...reasons, at, lowestIdAt(0), 0, PAGE],
    }))
  })
  return [...tokens, ...endings]
}

export type Touched = { readonly name: string; readonly pages: number; readonly ms: number; readonly plan: string }

const SET_OF_ANY = `select s.n as scope, a.n as agent from agent a, scope_set s where a.id = $1 order by s.n limit 1`

const literal = (value: unknown): string => (typeof value === 'number' ? String(value) : `'${String(value)}'`)

/**
 * Runs each under the plan that the service has of it, for any values (a plan of `explain` itself is made for these): twice.
 * What is counted is how many pages it looks at, in memory or not.
 */
export const readTouched = async (connection: Connection, filled: FilledStore): Promise<readonly Touched[]> => {
  const { rows } = await connection.ask({ text: SET_OF_ANY, values: [filled.agentId] })
  const touched: Touched[] = []
  for (const [nth, { name, text, values }] of rangesOf(filled, rows[0] as Numbers).entries()) {
    let n = 0
    await connection.ask({ text: `prepare range_${nth} as ${text.replaceAll('?', () => `$${++n}`)}` })
    const asked = {
      text: `explain (analyze, buffers, costs off) execute range_${nth}(${values.map(literal).join(', ')})`,
    }
    await connection.ask(asked)
    const lines = (await connection.ask(asked)).rows.map(row => String((row as Record<string, unknown>)['QUERY PLAN']))
    const buffers = lines.find(line => line.includes('Buffers:')) ?? ''
    const pages = Array.from(buffers.matchAll(/(?:hit|read)=(\d+)/g)).reduce((sum, [, count]) => sum + Number(count), 0)
    const ms = Number(/Execution Time: ([\d.]+)/.exec(lines.join('\n'))?.[1])
    touched.push({ name, pages, ms, plan: lines.join('\n') })
  }
  return touched
}
