// All that a store holds of agents, keys, tokens and acts, to see that a request changed none of it.
import { isDatabaseUrl } from '../databases/postgres-cluster.ts'
import { withFile } from './store-file.ts'

/** Written in the background, or by what is no change: seals, counts of refusals, when something was last used, progress. */
const TABLES_LEFT_OUT = new Set([
  'agent_usage',
  'ended_minute',
  'given',
  'refusal_count',
  'refused',
  'seal',
  'service',
  'sqlite_sequence',
  'upkeep',
])
const COLUMNS_LEFT_OUT = new Set(['fill_id', 'fill_life', 'last_used_at', 'moved', 'state', 'used_day'])

const FILE_TABLES = "select name from sqlite_schema where type = 'table'"
// A partition is no table of its own.
const DATABASE_TABLES = `select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`

export const contentOf = (file: string): string =>
  withFile(file, db => {
    const tables = db.prepare<{ name: string }>(isDatabaseUrl(file) ? DATABASE_TABLES : FILE_TABLES).all()
    const content = tables
      .filter(({ name }) => !TABLES_LEFT_OUT.has(name))
      // PostgreSQL moves a row that is changed.
      .map(({ name }) => [
        name,
        db.prepare(`select * from ${name}${isDatabaseUrl(file) ? ' as t order by t::text' : ''}`).all(),
      ])
    const seq = db.prepare('select seq from service').all()
    return JSON.stringify([seq, content], (key, value: unknown) => (COLUMNS_LEFT_OUT.has(key) ? undefined : value))
  })
