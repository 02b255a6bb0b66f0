// All that a store holds of agents, keys, tokens and acts, to see that a request changed none of it.
import { withFile } from './store-file.ts'

/** Written in the background, or by what is no change: seals, counts of refusals, when something was last used, progress. */
const TABLES_LEFT_OUT = new Set(['ended_minute', 'refused', 'seal', 'service', 'sqlite_sequence'])
const COLUMNS_LEFT_OUT = new Set(['fill_id', 'fill_life', 'last_used_at', 'moved', 'state', 'used_day'])

export const contentOf = (file: string): string =>
  withFile(file, db => {
    const tables = db.prepare<[], { name: string }>("select name from sqlite_schema where type = 'table'").all()
    const content = tables
      .filter(({ name }) => !TABLES_LEFT_OUT.has(name))
      .map(({ name }) => [name, db.prepare(`select * from ${name}`).all()])
    const seq = db.prepare('select seq from service').all()
    return JSON.stringify([seq, content], (key, value: unknown) => (COLUMNS_LEFT_OUT.has(key) ? undefined : value))
  })
