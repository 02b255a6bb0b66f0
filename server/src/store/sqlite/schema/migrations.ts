// Brings the schema of a store to this version, forward only. docs/development/embedded-store.md explains the tables.
import type { Database } from '../connection/database.ts'
import type { StoreMaker } from '../../store-options.ts'
import { ADMINISTRATION, CLAIMS_OF_AGENTS, ENDS_OF_AGENTS, MANAGED_RECORDS } from './administration.ts'
import { openNewFeed } from '../../feed/open-feed.ts'
import { LEDGER } from './ledger.ts'
import { SCHEMA_VERSION } from '../../schema-version.ts'
import { BLOCKED_SUBJECTS, JWT_EXCHANGE, PRINCIPALS, TRUSTED_ISSUERS } from './principals.ts'

// The schemas of usage, the fourth, the eighth and the tenth: what agents got and were refused of late, where their tokens are used.

const AGENT_USAGE = `
create table agent_usage (         -- of the last day; domain/clients/agent-usage.ts
  slot_ms integer not null,        -- the length of the slot
  slot integer not null,           -- the ms at which it begins
  agent integer not null,
  issued integer not null,
  refused integer not null,        -- token requests of the agent, once it was authenticated
  last_at integer not null,        -- the ms at which it got its last token in the slot; 0: it got none
  primary key (slot_ms, slot, agent)
) strict, without rowid;
`

/** Where tokens are used, and which were after their end. docs/development/embedded-store.md. */
const TOKEN_USES = `
create table token_use (           -- introspections and reported uses, for 30 days
  n integer primary key autoincrement,
  at integer not null,             -- the minute, as the ms at which it begins
  agent integer not null,          -- of the tokens; 0: of none that is known
  api_key integer not null,        -- 0: all beyond the pairs of a minute
  outside integer not null check (outside in (0, 1)),  -- 1: of other audiences than the key may see
  active integer not null,         -- introspections that were answered with active
  inactive integer not null,
  after_end integer not null,      -- of these, of tokens that had ended
  uses integer not null,           -- that followers of the revocation feed report
  first_at integer not null,
  last_at integer not null,
  unique (at, agent, api_key, outside)
) strict;
create index token_use_at on token_use (at);
create index token_use_agent on token_use (agent, at);
create index token_use_key on token_use (api_key, at);

create table late_use (            -- of a token after its end, for 30 days after the last
  n integer primary key autoincrement,
  at integer not null,             -- the last
  first_at integer not null,
  token blob not null,
  agent integer not null,
  api_key integer not null,
  outside integer not null check (outside in (0, 1)),
  expired integer not null check (expired in (0, 1)),  -- 1: it had only expired
  count integer not null,
  minute integer not null,         -- in which the row was written first
  unique (token, api_key)
) strict;
create index late_use_at on late_use (at);
create index late_use_agent on late_use (agent, at);
create index late_use_key on late_use (api_key, at);
create index late_use_token on late_use (token, at);
create index late_use_minute on late_use (minute, expired);

alter table verifier add column counted_uses text;  -- JSON: its uses as far as they are in token_use; null: none are
`

/** Why requests were refused of late. */
const REFUSAL_COUNTS = `
create table refusal_count (       -- of the last day; domain/clients/agent-usage.ts
  slot_ms integer not null,        -- the length of the slot
  slot integer not null,           -- the ms at which it begins
  agent integer not null,          -- 0: none, or beyond the rows of a slot
  reason text not null,            -- domain/refusal-reasons.ts
  count integer not null,
  last_at integer not null,        -- the ms at which it was written last
  primary key (slot_ms, slot, agent, reason)
) strict, without rowid;
`

// The fifth schema: tokens that were got for other tokens, and what agents may get so.

const LINEAGE = `
alter table agent add column grant_types text not null default '["client_credentials"]';  -- JSON
alter table agent add column acts_for text not null default '[]';                         -- JSON
alter table agent add column receives text not null default '[]';                         -- JSON

create table lineage (             -- what all children of one token share
  n integer primary key autoincrement,
  parent blob not null unique,     -- the id of that token
  ancestors text not null,         -- JSON of store/ledger/lineages.ts, the parent first
  used_day integer not null
) strict;
create table lineage_ancestor (ancestor blob not null, n integer not null, primary key (ancestor, n)) without rowid, strict;

create table cascade (             -- a token that ended, whose descendants have yet to follow
  token blob primary key,
  act integer not null,
  at integer not null,
  fill integer not null default 0  -- the children of lineages up to this number have followed
) without rowid, strict;
create index cascade_act on cascade (act, token);

alter table token add column lineage integer;   -- null: the token has no parent
alter table token add column subject integer;   -- the agent of its root; null where it has no parent
create index token_delegated on token (life, id) where lineage is not null;
create index token_lineage on token (lineage, life, id) where lineage is not null;
create index token_subject on token (subject, life, id) where lineage is not null;

alter table ended add column lineage integer;
alter table ended add column subject integer;
alter table ended add column ancestor integer;  -- how many edges up the token stands whose end this is; null: this one
create index ended_lineage on ended (lineage, at, id) where lineage is not null;
create index ended_child on ended (lineage, id) where lineage is not null;
create index ended_subject on ended (subject, at, id) where lineage is not null;
`

// The sixth schema: the revocation feed. domain/ledger/cut-off-fact.ts and docs/apis/feed-protocol.md.

const REVOCATION_FEED = `
alter table service add column feed_position integer not null default 0;
alter table service add column feed_epoch text not null default '';  -- '': the feed is not open yet

create table fact (                -- what ended, until no token that it concerns could be live
  n integer primary key autoincrement,
  position integer not null,
  until integer not null,          -- the second of the last expiry that it concerns
  tails blob,                      -- single ends: the last 8 bytes of each id, all of one expiry
  cutoff text                      -- or a cut-off, JSON of domain/ledger/cut-off-fact.ts
) strict;
create index fact_position on fact (position, n);
create index fact_until on fact (until);

create table verifier (            -- where a follower says that it is; docs/revocation-feed.md
  api_key text not null,           -- the id of the key with which it reports
  name text not null,
  address text not null,
  epoch text not null,
  position integer not null,
  reported_at integer not null,
  first_at integer not null,
  uses text,                       -- JSON: uses of tokens by agent; null: it never said
  primary key (api_key, name)
) without rowid, strict;
create index verifier_reported on verifier (reported_at);
create index verifier_of_key on verifier (api_key, reported_at);

alter table cutoff add column position integer;  -- of its fact; null: it is of before the feed
`

// The eleventh schema: when tokens of an audience set were issued. docs/development/embedded-store.md.

/** The spans of the tokens that are there. */
export const EARLIER_AUDIENCE_SPANS = `
insert into audience_span
  select aud, substr(id, 1, 3) from token where true union select aud, substr(id, 1, 3) from ended where true
  on conflict do nothing`

// Triggers keep it, so that no program that issues a token, yesterday's included, can leave a span out.
const AUDIENCE_SPANS = `
create table audience_span (       -- a span of time in which tokens of an audience set were issued
  aud integer not null,
  span blob not null,              -- the first three bytes of their ids: 2 ** 24 ms
  primary key (aud, span)
) strict, without rowid;
create index audience_span_old on audience_span (span);
${EARLIER_AUDIENCE_SPANS};

create trigger audience_span_of_token after insert on token begin
  insert into audience_span values (new.aud, substr(new.id, 1, 3)) on conflict do nothing;
end;
create trigger audience_span_of_ended after insert on ended begin
  insert into audience_span values (new.aud, substr(new.id, 1, 3)) on conflict do nothing;
end;
`

// The second schema: when the tokens that ended in a minute were issued.

// A trigger keeps it, so that no program that ends a token, yesterday's included, can leave a minute out.
const ENDED_MINUTES = `
create table ended_minute (        -- a minute in which tokens were ended
  minute integer primary key,      -- of \`ended.at\`, since 1970
  oldest blob not null,            -- no token that was ended in it has a smaller id
  newest blob not null             -- nor a greater one
) strict;

insert into ended_minute select at / 60000, id, id from ended indexed by ended_reason where true
  on conflict (minute) do update set oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest);

create trigger ended_minute_kept after insert on ended begin
  insert into ended_minute values (new.at / 60000, new.id, new.id)
    on conflict (minute) do update set oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest);
end;
`

// The seventh schema: sessions of operators in the console. domain/clients/session.ts.

const SESSIONS = `
create table session (
  id text primary key,
  secret_hash blob not null unique,
  iss text not null,
  sub text not null,
  name text,
  sealed_tokens blob not null,     -- the operator's JWT and what renews it, under the key-encryption key
  created_at integer not null,
  used_at integer not null,        -- to the minute
  expires_at integer not null,     -- of the JWT
  renewing_until integer not null  -- until then somebody renews it
) without rowid, strict;
create index session_of_operator on session (iss, sub, created_at);
`

type Migration = {
  readonly name: string
  readonly sql: string
  /** The oldest version of this list whose program still runs on a store with this migration. */
  readonly oldestProgram: number
}

/** All migrations, oldest first; what stands here is never changed, only followed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: 'the ledger', sql: LEDGER, oldestProgram: 1 },
  { name: 'when the tokens of a minute were issued', sql: ENDED_MINUTES, oldestProgram: 1 },
  // A program that does not know revoked credentials would take them.
  { name: 'the administration', sql: ADMINISTRATION, oldestProgram: 3 },
  { name: 'the usage of agents', sql: AGENT_USAGE, oldestProgram: 3 },
  // The first token that is got for another excludes older programs: store/ledger/lineages.ts.
  { name: 'lineage', sql: LINEAGE, oldestProgram: 3 },
  // Its opening excludes older programs: store/feed/open-feed.ts.
  { name: 'revocation feed', sql: REVOCATION_FEED, oldestProgram: 3 },
  { name: 'sessions', sql: SESSIONS, oldestProgram: 3 },
  { name: 'uses of tokens', sql: TOKEN_USES, oldestProgram: 3 },
  { name: 'names of API keys', sql: 'create index api_key_name on api_key (name, id)', oldestProgram: 3 },
  { name: 'reasons of refusals', sql: REFUSAL_COUNTS, oldestProgram: 3 },
  { name: 'spans of audiences', sql: AUDIENCE_SPANS, oldestProgram: 3 },
  { name: 'principals', sql: PRINCIPALS, oldestProgram: 3 },
  { name: 'trusted issuers', sql: TRUSTED_ISSUERS, oldestProgram: 3 },
  // The first token that acts for a principal excludes older programs: store/ledger/principals.ts.
  { name: 'exchange of JWTs', sql: JWT_EXCHANGE, oldestProgram: 3 },
  // The first subject that is blocked, or ends by a number, excludes older programs: store/schema-version.ts.
  { name: 'blocked subjects', sql: BLOCKED_SUBJECTS, oldestProgram: 3 },
  { name: 'claims of agents', sql: CLAIMS_OF_AGENTS, oldestProgram: 3 },
  // The first agent that is given an end excludes older programs: store/schema-version.ts.
  { name: 'ends of agents', sql: ENDS_OF_AGENTS, oldestProgram: 3 },
  { name: 'managed records', sql: MANAGED_RECORDS, oldestProgram: 3 },
]

/** The version that this program writes. */
export const PROGRAM_VERSION = MIGRATIONS.length

type SchemaVersion = { readonly version: number; readonly oldestProgram: number }

/** The version of a store; 0 where it has no schema yet. */
export const schemaVersionOf = (db: Database): SchemaVersion => {
  const exists = db.prepare(`select 1 from sqlite_schema where type = 'table' and name = 'migration'`).get()
  if (exists === undefined) return { version: 0, oldestProgram: 0 }
  return db.prepare<SchemaVersion>(SCHEMA_VERSION).get() ?? { version: 0, oldestProgram: 0 }
}

const FIRST_SERVICE = `insert into service (one, made_by, seq, ended_seq, last_end_seq, clock_lease, last_at)
  values (1, ?, 1, 0, 0, 0, 0)`

/** Applies what is missing in one transaction, and returns the version before: a migration that fails leaves the store as it was. */
export const applyMigrations = (
  db: Database,
  first: { madeBy: StoreMaker; now: number },
  migrations: readonly Migration[] = MIGRATIONS,
): number => {
  // A table that is made anew is gone for a moment, with what refers to it still there; checked before the commit instead.
  db.pragma('foreign_keys = off')
  return db.transaction(() => {
    db.exec(`create table if not exists migration (
      version integer primary key, name text not null, oldest_program integer not null, applied_at integer not null
    ) strict`)
    const { version } = schemaVersionOf(db)
    migrations.slice(version).forEach(({ name, sql, oldestProgram }, n) => {
      db.exec(sql)
      db.prepare('insert into migration values (?, ?, ?, ?)').run(version + n + 1, name, oldestProgram, first.now)
    })
    if (db.pragma('foreign_key_check') !== undefined) throw new Error('A migration left rows that refer to nothing.')
    if (version > 0) return version
    db.prepare(FIRST_SERVICE).run(first.madeBy)
    if (migrations.some(({ name }) => name === 'revocation feed')) {
      for (const { text, values } of openNewFeed()) db.prepare(text).run(...values)
    }
    return version
  }, 'begin immediate')
}
