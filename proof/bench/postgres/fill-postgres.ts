// Fills a store on PostgreSQL with tokens by SQL while nothing serves it, and looks after it as the service would.
import { EARLIER_AUDIENCE_SPANS } from '../../../server/src/store/postgres/schema/migrations.ts'
import { hash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { REASONS } from '../../../api/values/reason.ts'
import { makeTokenId } from '../../../server/src/domain/ledger/claims.ts'
import { TIMING } from '../../../server/src/ports/timing.ts'
import { keepPartitions } from '../../../server/src/store/postgres/partitions/partition-maintenance.ts'
import { makePartitionFor } from '../../../server/src/store/postgres/partitions/partitions.ts'
import { connectUnhurried } from '../../../server/src/store/postgres/connection/primary.ts'
import { withClient } from '../../../testkit/databases/postgres-cluster.ts'
import { fillPartitions } from './bare-partitions.ts'
import { addressOf, type BenchDatabase } from './databases.ts'
import {
  ACTS,
  type FilledStore,
  LIVE_LIFETIME_SECONDS,
  REASONS_GIVEN,
  SHORT_LIFETIMES_SECONDS,
  type Span,
  spansAt,
  tokenText,
} from '../../../testkit/stores/fill-store.ts'
import type { Installation } from '../servers/mintmark-server.ts'
import { addSurroundings, kindsOf, type Numbers, one } from './postgres-surroundings.ts'

const ROWS_A_STATEMENT = 1_000_000
const DAY_MS = 86_400_000
/** Tokens that were ended early have left holes in the partitions of those that were not. */
const HOLE = '00000000-0000-0000-0000-000000000000'

type Wish = {
  readonly live: number
  /** Half of them expired within the last six days, half ended early within the last thirty. */
  readonly ended: number
  readonly samples: number
}

const CHANCES = 'random() as a, random() as b, random() as c, random() as d, gen_random_uuid()::text as bits'

/** A UUIDv7 of an instant, with chance from `bits`, which is one of version 4. */
const idAt = (ms: string): string => {
  const hex = `lpad(to_hex(${ms}), 12, '0')`
  return `(substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7' || substr(bits, 16))::uuid`
}

const pick = (values: readonly number[], chance: string): string =>
  `(array[${values.join(', ')}])[1 + floor(${chance} * ${values.length})::integer]`

const lengthOf = ({ oldest, newest }: Span): number => newest - oldest

const instantOf = ({ oldest, newest }: Span, count: number): string =>
  `(${oldest}::bigint + ${newest - oldest}::bigint * n / ${count})`

type Tokens = {
  readonly into: string
  readonly count: number
  readonly issued: Span
  readonly lives: readonly number[]
  /** The number of those that ended early. */
  readonly holes: number
  readonly samples: readonly Sample[]
}

type Sample = { readonly n: number; readonly id: string; readonly digest: string }

const inSteps = async (count: number, step: (from: number, to: number) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < count; from += ROWS_A_STATEMENT)
    await step(from, Math.min(count, from + ROWS_A_STATEMENT) - 1)
}

/** Adds tokens in the order of issue, as the service writes them; a token of the samples replaces a random one. */
const addTokens = async (client: pg.Client, numbers: Numbers, tokens: Tokens): Promise<void> => {
  const { into, count, issued, lives, holes, samples } = tokens
  const all = count + holes
  const isHole = `(n + 1) * ${holes}::bigint / ${all} > n * ${holes}::bigint / ${all}`
  const key = `case when ms < ${Date.now() - 4 * DAY_MS} then ${numbers.formerKey} else ${numbers.key} end`
  const text = `insert into ${into} (life, id, digest, agent, cred, key, scope, aud, seq)
    select ${pick(lives, 'd')}, coalesce(s.id, ${idAt('ms')}),
      coalesce(s.digest, case when ${isHole} then '${HOLE}' else gen_random_uuid() end),
      kinds.agent, kinds.cred, ${key}, kinds.scope, kinds.aud, ${numbers.seq}
    from (select n, ${instantOf(issued, all)} as ms, ${CHANCES} from generate_series($1::bigint, $2) as n) as made
      left join unnest($3::bigint[], $4::uuid[], $5::uuid[]) as s (n, id, digest) using (n)
      cross join lateral (select ${kindsOf(numbers)}) as kinds
    order by n`
  const lists = [samples.map(({ n }) => n), samples.map(({ id }) => id), samples.map(({ digest }) => digest)]
  await inSteps(all, (from, to) => client.query(text, [from, to, ...lists]))
  if (holes > 0) await client.query(`delete from ${into} where digest = $1`, [HOLE])
}

type Endings = { readonly into: string; readonly count: number; readonly ended: Span }

const addEnded = async (client: pg.Client, numbers: Numbers, { into, count, ended }: Endings): Promise<void> => {
  const reasons = REASONS_GIVEN.map(reason => REASONS[reason])
  const text = `insert into ${into} (id, life, agent, cred, key, scope, aud, at, reason, act)
    select ${idAt('at - 500 * life')}, life, kinds.agent, kinds.cred, ${numbers.key}, kinds.scope, kinds.aud, at,
      ${pick(reasons, 'd')}, ${numbers.act} + n % ${ACTS}
    from (select n, ${instantOf(ended, count)} as at, ${CHANCES}, ${pick(SHORT_LIFETIMES_SECONDS, 'random()')} as life
      from generate_series($1::bigint, $2) as n) as made
      cross join lateral (select ${kindsOf(numbers)}) as kinds
    order by n`
  await inSteps(count, (from, to) => client.query(text, [from, to]))
}

// As the trigger keeps it, in one step: from the times of issue, not from the ids.
const ADD_MINUTES = `insert into ended_minute select at / 60000,
    (lpad(to_hex(min(at - 500 * life)), 12, '0') || '00000000000000000000')::uuid,
    (lpad(to_hex(max(at - 500 * life)), 12, '0') || 'ffffffffffffffffffff')::uuid
  from ended group by 1`

const LEAVES = `select inhrelid::regclass::text as name from pg_inherits
  where inhparent in ('token'::regclass, 'ended'::regclass) order by 1`

/** What autovacuum does in the course of a day. */
const vacuum = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(LEAVES)
  for (const { name } of rows) await client.query(`vacuum (analyze) ${name}`)
  for (const name of [
    'agent',
    'credential',
    'act',
    'scope_set',
    'scope_set_item',
    'audience_span',
    'ended_minute',
    'lifetime',
  ]) {
    await client.query(`vacuum (analyze) ${name}`)
  }
}

// The trigger for minutes is a statement a row: moves of single tokens bear that, a filling does not.
const SETTINGS = [
  'set session_replication_role = replica',
  `set maintenance_work_mem = '512MB'`,
  `set work_mem = '256MB'`,
]

const YEAR_MS = 365 * DAY_MS

/** Makes the partitions that the service would have made in time. */
const makePartitions = async (
  database: BenchDatabase,
  spans: Readonly<Record<'token' | 'ended', Span>>,
): Promise<void> => {
  const connection = await connectUnhurried({ address: addressOf(database), timing: TIMING })
  try {
    for (const table of ['token', 'ended'] as const) {
      const { oldest, newest } = spans[table]
      for (let at = oldest; at < newest + DAY_MS; at += DAY_MS) await makePartitionFor(connection, table, at)
    }
  } finally {
    await connection.close()
  }
}

/** One round of the maintenance of partitions, as the service does one each minute. */
const keepUp = (database: BenchDatabase, now: number): Promise<void> =>
  keepPartitions(
    () => connectUnhurried({ address: addressOf(database), timing: TIMING }),
    { expiredMs: YEAR_MS, endedMs: YEAR_MS },
    now,
  )

type DatabaseTime = (line: string) => void

type Samples = { readonly samples: readonly Sample[]; readonly texts: readonly string[] }

const makeSamples = (installation: Installation, numbers: Numbers, { live, samples }: Wish, issued: Span): Samples => {
  const every = Math.max(1, Math.floor(live / Math.max(samples, 1)))
  const made = Array.from({ length: Math.min(samples, live) }, (_, nth) => {
    const n = nth * every
    const id = makeTokenId(Math.floor(issued.oldest + ((issued.newest - issued.oldest) * n) / live), randomBytes(10))
    const text = tokenText(installation, numbers, id)
    return { text, sample: { n, id, digest: hash('sha256', text).slice(0, 32) } }
  })
  return { samples: made.map(({ sample }) => sample), texts: made.map(({ text }) => text) }
}

/** Runs `work` on a connection of its own that fills. */
const withBackfill = <T>({ url }: BenchDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withClient(url, async client => {
    for (const setting of SETTINGS) await client.query(setting)
    return work(client)
  })

type Backfilling = { readonly numbers: Numbers; readonly wish: Wish; readonly reported: DatabaseTime }

const endedEarly = ({ ended }: Wish): number => Math.ceil(ended / 2)

const fillTokens = async (
  client: pg.Client,
  { numbers, wish, reported }: Backfilling,
  {
    issued,
    expiredIssued,
    samples,
  }: { readonly issued: Span; readonly expiredIssued: Span } & Pick<Samples, 'samples'>,
  holes: number,
): Promise<void> => {
  reported('  expired tokens')
  await fillPartitions(client, 'token', expiredIssued, (into, part, share) =>
    addTokens(client, numbers, {
      into,
      issued: part,
      count: Math.round(Math.floor(wish.ended / 2) * share),
      holes: Math.round(holes * share),
      lives: SHORT_LIFETIMES_SECONDS,
      samples: [],
    }),
  )
  reported('  live tokens')
  const lives = [LIVE_LIFETIME_SECONDS]
  await addTokens(client, numbers, { into: 'token', issued, count: wish.live, holes: 0, lives, samples })
}

const fillEnded = async (client: pg.Client, { numbers, wish, reported }: Backfilling, ended: Span): Promise<void> => {
  reported('  tokens that were ended early')
  await fillPartitions(client, 'ended', ended, (into, part, share) =>
    addEnded(client, numbers, { into, ended: part, count: Math.round(endedEarly(wish) * share) }),
  )
  await client.query(ADD_MINUTES)
}

/** Nothing else may have the store open. */
export const fillPostgres = async (
  database: BenchDatabase,
  installation: Installation,
  wish: Wish,
  reported: DatabaseTime,
): Promise<FilledStore> => {
  const started = performance.now()
  const now = Date.now()
  const spans = spansAt(now)
  const { live, ended, expired } = spans
  const [longest, shortest] = [Math.max(...SHORT_LIFETIMES_SECONDS), Math.min(...SHORT_LIFETIMES_SECONDS)]
  const expiredIssued = { oldest: expired.oldest - 1000 * shortest, newest: expired.newest - 1000 * longest }
  await makePartitions(database, { token: { ...live, oldest: expiredIssued.oldest }, ended })
  const numbers = await withBackfill(database, client => addSurroundings(client, installation.baseUrl, now))
  const { samples, texts } = makeSamples(installation, numbers, wish, live)
  const holes = (endedEarly(wish) * lengthOf(expiredIssued)) / lengthOf(ended)
  const backfilling = { numbers, wish, reported }
  // Side by side: each statement of them keeps one core of the database busy, and neither touches the other's table.
  await Promise.all([
    withBackfill(database, client => fillTokens(client, backfilling, { issued: live, expiredIssued, samples }, holes)),
    withBackfill(database, client => fillEnded(client, backfilling, ended)),
  ])
  const agent = await withBackfill(database, async client => {
    await client.query(EARLIER_AUDIENCE_SPANS)
    reported('  vacuum')
    await vacuum(client)
    const names = await one<{ id: string; client_id: string }>(client, 'select id, client_id from agent where n = $1', [
      numbers.agent,
    ])
    return { agentId: names.id, clientId: names.client_id, tokens: texts }
  })
  reported('  maintenance of partitions')
  await keepUp(database, now)
  return { ...agent, ...spans, seconds: (performance.now() - started) / 1000 }
}
