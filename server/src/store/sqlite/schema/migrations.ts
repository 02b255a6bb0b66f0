// Brings the schema of a store to this version, forward only. docs/storage.md explains the tables.
import type { Database } from '../connection/database.ts'
import type { StoreMaker } from '../../store-options.ts'
import { ADMINISTRATION } from './administration.ts'
import { openNewFeed } from '../../feed/open-feed.ts'
import { AUDIENCE_SPANS } from './audience-spans.ts'
import { AGENT_USAGE, REFUSAL_COUNTS, TOKEN_USES } from './usage.ts'
import { ENDED_MINUTES } from './ended-minutes.ts'
import { LEDGER } from './ledger.ts'
import { LINEAGE } from './lineage.ts'
import { REVOCATION_FEED } from './revocation-feed.ts'
import { SESSIONS } from './sessions.ts'
import { SCHEMA_VERSION } from '../../schema-version.ts'

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
