// Brings the schema of a database to this version, forward only. docs/development/embedded-store.md explains the tables.
import { setTimeout as delay } from 'node:timers/promises'
import type { Timing } from '../../../ports/timing.ts'
import type { DatabaseAddress } from '../connection/address.ts'
import { askRow, askFirst, type Connection } from '../connection/connection.ts'
import { runner } from '../connection/run-program.ts'
import { lockTables, type LockTiming, type TableWait } from './lock-tables.ts'
import type { StoreMaker } from '../../store-options.ts'
import { SCHEMA_VERSION } from '../../schema-version.ts'
import { StoreProblem } from '../../store-problem.ts'
import { makeIndexes, type NewIndex } from './new-indexes.ts'
import { refuseSearchPath } from '../connection/search-path.ts'
import { openNewFeed } from '../../feed/open-feed.ts'
import { AGENT_USAGE, REFUSAL_COUNTS, TOKEN_USES } from './usage.ts'
import { CLAIMS_OF_AGENTS, ENDS_OF_AGENTS, MANAGED_RECORDS, SESSIONS } from './administration.ts'
import { BYTE_ORDER, BYTE_ORDER_INDEXES } from './byte-order.ts'
import { LEDGER } from './ledger.ts'
import { REVOCATION_FEED } from './revocation-feed.ts'
import { REST } from './rest.ts'
import { BLOCKED_SUBJECTS, JWT_EXCHANGE, PRINCIPALS, TRUSTED_ISSUERS } from './principals.ts'

// The fourth schema: tokens that were got for other tokens, and what agents may get so.

const LINEAGE = `
alter table agent
  add column grant_types text collate "C" not null default '["client_credentials"]',  -- JSON
  add column acts_for text collate "C" not null default '[]',                         -- JSON
  add column receives text collate "C" not null default '[]';                         -- JSON

create table lineage (             -- what all children of one token share
  n bigint primary key generated always as identity,
  parent uuid not null unique,     -- the id of that token
  ancestors text collate "C" not null,  -- JSON of store/ledger/lineages.ts, the parent first
  used_day integer not null
);
create table lineage_ancestor (ancestor uuid not null, n integer not null, primary key (ancestor, n));

create table cascade (             -- a token that ended, whose descendants have yet to follow
  token uuid primary key,
  act integer not null,
  at bigint not null,
  fill bigint not null default 0   -- the children of lineages up to this number have followed
);
create index cascade_act on cascade (act, token);

alter table token add column lineage integer, add column subject integer;  -- null: the token has no parent
create index token_delegated on token (life, id) where lineage is not null;
create index token_lineage on token (lineage, life, id) where lineage is not null;
create index token_subject on token (subject, life, id) where lineage is not null;

-- ancestor: how many edges up the token stands whose end this is; null: this one.
alter table ended add column lineage integer, add column subject integer, add column ancestor smallint;
create index ended_lineage on ended (lineage, at, id) where lineage is not null;
create index ended_child on ended (lineage, id) where lineage is not null;
create index ended_subject on ended (subject, at, id) where lineage is not null;
`

// The tenth schema: when tokens of an audience set were issued. docs/development/embedded-store.md.

const SPANS = 'select distinct aud, substring(uuid_send(id) from 1 for 3)'

// Triggers keep it, so that no program that issues a token, yesterday's included, can leave a span out. In one order: of two
// that meet the same new spans neither waits for the other in turn.
const AUDIENCE_SPANS = `
create table audience_span (                 -- a span of time in which tokens of an audience set were issued
  aud integer not null,
  span bytea not null,                       -- the first three bytes of their ids: 2 ** 24 ms
  primary key (aud, span)
);
create index audience_span_old on audience_span (span);

create function mintmark_audience_span() returns trigger language plpgsql as $$
begin
  insert into audience_span ${SPANS} from written w
    where not exists (select 1 from audience_span s where s.aud = w.aud and s.span = substring(uuid_send(w.id) from 1 for 3))
    order by 1, 2 on conflict do nothing;
  return null;
end $$;
create trigger audience_span_of_token after insert on token
  referencing new table as written for each statement execute function mintmark_audience_span();
create trigger audience_span_of_ended after insert on ended
  referencing new table as written for each statement execute function mintmark_audience_span();
`

/** The spans of the tokens that were there before. */
export const EARLIER_AUDIENCE_SPANS = `
insert into audience_span select * from (${SPANS} from token union ${SPANS} from ended) as earlier order by 1, 2
  on conflict do nothing
`

export type Migration = {
  readonly name: string
  readonly sql: string
  /** Indexes of large tables, built before `sql` renames them, while the service goes on. */
  readonly indexes?: readonly NewIndex[]
  /** It only writes what nobody reads before it is applied: in a transaction of its own, while others serve, however long that takes. */
  readonly locksNothing?: boolean
  /** The oldest version of this list whose program still runs on a store with this migration. */
  readonly oldestProgram: number
}

/** All migrations, oldest first; what stands here is never changed, only followed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'the ledger', sql: LEDGER + REST, oldestProgram: 1 },
  { name: 'text by its bytes', sql: BYTE_ORDER, indexes: BYTE_ORDER_INDEXES, oldestProgram: 1 },
  { name: 'the usage of agents', sql: AGENT_USAGE, oldestProgram: 1 },
  // The first token that is got for another excludes older programs: store/ledger/lineages.ts.
  { name: 'lineage', sql: LINEAGE, oldestProgram: 1 },
  // Its opening excludes older programs: store/feed/open-feed.ts.
  { name: 'revocation feed', sql: REVOCATION_FEED, oldestProgram: 1 },
  { name: 'sessions', sql: SESSIONS, oldestProgram: 1 },
  { name: 'uses of tokens', sql: TOKEN_USES, oldestProgram: 1 },
  { name: 'names of API keys', sql: 'create index api_key_name on api_key (name, id)', oldestProgram: 1 },
  { name: 'reasons of refusals', sql: REFUSAL_COUNTS, oldestProgram: 1 },
  { name: 'spans of audiences', sql: AUDIENCE_SPANS, oldestProgram: 1 },
  { name: 'spans of earlier tokens', sql: EARLIER_AUDIENCE_SPANS, locksNothing: true, oldestProgram: 1 },
  { name: 'principals', sql: PRINCIPALS, oldestProgram: 1 },
  { name: 'trusted issuers', sql: TRUSTED_ISSUERS, oldestProgram: 1 },
  // The first token that acts for a principal excludes older programs: store/ledger/principals.ts.
  { name: 'exchange of JWTs', sql: JWT_EXCHANGE, oldestProgram: 1 },
  // The first subject that is blocked, or ends by a number, excludes older programs: store/schema-version.ts.
  { name: 'blocked subjects', sql: BLOCKED_SUBJECTS, oldestProgram: 1 },
  { name: 'claims of agents', sql: CLAIMS_OF_AGENTS, oldestProgram: 1 },
  // The first agent that is given an end excludes older programs: store/schema-version.ts.
  { name: 'ends of agents', sql: ENDS_OF_AGENTS, oldestProgram: 1 },
  { name: 'managed records', sql: MANAGED_RECORDS, oldestProgram: 1 },
]

/** The version that this program writes. */
export const PROGRAM_VERSION = MIGRATIONS.length

type SchemaVersion = { readonly version: number; readonly oldestProgram: number }

const NO_SCHEMA: SchemaVersion = { version: 0, oldestProgram: 0 }

// By its snapshot: what a session remembers of names may be older, where it has waited for another that migrates.
const IS_OURS = `select count(*) = 2 as "isOurs" from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname in ('migration', 'ended_minute') and n.nspname = any(current_schemas(false))`

/** The version of the schema; 0 where there is none yet. */
export const schemaVersionOf = async (connection: Connection): Promise<SchemaVersion> => {
  const { isOurs } = await askRow<{ isOurs: boolean }>(connection, IS_OURS)
  return (isOurs ? await askFirst<SchemaVersion>(connection, SCHEMA_VERSION) : undefined) ?? NO_SCHEMA
}

/** Refuses a schema from which this program is excluded. */
export const refuseNewer = ({ oldestProgram }: SchemaVersion, { database }: DatabaseAddress): void => {
  if (oldestProgram > PROGRAM_VERSION) {
    throw new StoreProblem(`The database ${database} is of a newer version of Mintmark: run that version.`)
  }
}

/** Refuses a schema that this program cannot run on. */
export const refuseVersion = (found: SchemaVersion, address: DatabaseAddress): void => {
  const [{ version }, { database }] = [found, address]
  if (version === 0) throw new StoreProblem(`The database ${database} is not set up yet: run 'mintmark migrate' first.`)
  if (version < PROGRAM_VERSION) {
    throw new StoreProblem(`The database ${database} is of an older version: run 'mintmark migrate' first.`)
  }
  refuseNewer(found, address)
}

const TABLE = `create table if not exists migration (
  version integer primary key, name text not null, oldest_program integer not null, applied_at bigint not null)`

const STATEMENTS_TAKE_AS_LONG_AS_THEY_TAKE = 'set local statement_timeout = 0'

/** The lock of this transaction: of two that migrate at once one waits, and then finds nothing left to do. */
const MIGRATION_LOCK = 4_937_001

export type FirstRow = { readonly madeBy: StoreMaker; readonly now: number }

type Versions = { readonly from: number; readonly to: number }

const TABLES = `select count(*) as count from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')`

const refuseForeign = async (connection: Connection): Promise<void> => {
  const { count } = await askRow<{ count: number }>(connection, TABLES)
  if (count === 0) return
  throw new StoreProblem('The database holds tables of another program: name an empty one in DATABASE_URL.')
}

export type MigrationTiming = LockTiming & Pick<Timing, 'migrationPauseMs'>

export type MigrationOptions = FirstRow & {
  readonly timing: MigrationTiming
  /** Those of this program, unless a test has its own. */
  readonly migrations?: readonly Migration[]
  readonly attempts?: number
}

type Plan = Required<Omit<MigrationOptions, 'attempts'>>

const FIRST_SERVICE = `insert into service (one, made_by, seq, ended_seq, last_end_seq, clock_lease, last_at)
  values (1, $1, 1, 0, 0, 0, 0)`

const writeService = async (connection: Connection, { madeBy, migrations }: Plan): Promise<void> => {
  await connection.ask({ text: FIRST_SERVICE, values: [madeBy] })
  if (!migrations.some(({ name }) => name === 'revocation feed')) return
  for (const { text, values } of openNewFeed()) await runner.ask(connection, text, ...values)
}

/** Those that are missing, as far as one transaction applies them. */
const nextOf = (migrations: readonly Migration[], from: number): readonly Migration[] => {
  const missing = migrations.slice(from)
  const alone = from === 0 ? -1 : missing.findIndex(({ locksNothing }) => locksNothing === true)
  return alone === -1 ? missing : missing.slice(0, Math.max(alone, 1))
}

const applyMissing = async (connection: Connection, plan: Plan, wait: TableWait): Promise<Versions | 'in_use'> => {
  const { migrations, timing, now } = plan
  const { version: from } = await schemaVersionOf(connection)
  if (from > migrations.length) throw new StoreProblem('The database is of a newer version of Mintmark.')
  const missing = nextOf(migrations, from)
  if (missing.length === 0) return { from, to: from }
  if (from === 0) await refuseForeign(connection)
  // Locked one after another in their own order, tables would deadlock with a transaction that looks up a token.
  else if (missing[0]?.locksNothing !== true && (await lockTables(connection, wait, timing)) === 'in_use')
    return 'in_use'
  await connection.ask({ text: TABLE })
  for (const [n, { name, sql, indexes = [], oldestProgram }] of missing.entries()) {
    await makeIndexes(connection, indexes, '')
    await connection.ask({ text: sql })
    const row = [from + n + 1, name, oldestProgram, now]
    await connection.ask({ text: 'insert into migration values ($1, $2, $3, $4)', values: row })
  }
  if (from === 0) await writeService(connection, plan)
  return { from, to: from + missing.length }
}

const applyOnce = async (connection: Connection, plan: Plan, wait: TableWait): Promise<Versions | 'in_use'> => {
  await connection.ask({ text: 'begin' })
  try {
    await connection.ask({ text: STATEMENTS_TAKE_AS_LONG_AS_THEY_TAKE })
    await connection.ask({ text: 'select pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] })
    const applied = await applyMissing(connection, plan, wait)
    await connection.ask({ text: applied === 'in_use' ? 'rollback' : 'commit' })
    return applied
  } catch (fault) {
    await connection.ask({ text: 'rollback' }).catch(connection.destroy)
    throw fault
  }
}

const applyAll = async (connection: Connection, plan: Plan, wait: TableWait): Promise<Versions | 'in_use'> => {
  let from: number | undefined
  for (;;) {
    const applied = await applyOnce(connection, plan, wait)
    if (applied === 'in_use') return applied
    from ??= applied.from
    if (applied.to === plan.migrations.length) return { from, to: applied.to }
  }
}

/** What can be done beside programs that serve. A first migration has all to itself. */
const prepare = async (connection: Connection, migrations: readonly Migration[]): Promise<'made' | 'in_use'> => {
  const { version: from } = await schemaVersionOf(connection)
  const indexes = from === 0 ? [] : migrations.slice(from).flatMap(migration => migration.indexes ?? [])
  return makeIndexes(connection, indexes, 'concurrently')
}

/** With the pauses between them some two minutes. */
const ATTEMPTS = 45
const LONG_EVERY = 5

const IN_USE =
  'Tables of the database stayed in use, by a backup or a dump, or by maintenance that packs a closed partition: nothing was changed. Run this again later; pg_stat_activity shows which sessions use them.'

/**
 * Applies what is missing beside programs that serve, in one transaction but for what locks nothing: a migration that fails leaves the
 * database as it was before it. Throws StoreProblem with one line for a person.
 */
export const applyMigrations = async (
  connection: Connection,
  { migrations = MIGRATIONS, attempts = ATTEMPTS, ...others }: MigrationOptions,
): Promise<Versions> => {
  const plan = { ...others, migrations }
  await refuseSearchPath(connection)
  for (let n = 1; n <= attempts; n += 1) {
    if (n > 1) await delay(plan.timing.migrationPauseMs)
    if ((await prepare(connection, migrations)) === 'in_use') continue
    const applied = await applyAll(connection, plan, n % LONG_EVERY === 0 ? 'long' : 'brief')
    if (applied !== 'in_use') return applied
  }
  throw new StoreProblem(IN_USE)
}
