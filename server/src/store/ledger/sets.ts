// Scope sets and audience sets: each distinct text is stored once, and tokens name it by number.
import { DAY_MS, type Milliseconds } from '../../domain/time.ts'
import { parseStrings } from '../sqlite/rows.ts'
import type { Statements } from '../sqlite/statements.ts'

export const SCOPE_SETS_MAX = 65_536
export const AUDIENCE_SETS_MAX = 65_536
const CACHE_MAX = 65_536

export type ScopeSet = { readonly text: string; readonly items: readonly string[] }

export type Sets = {
  readonly scope: (n: number) => ScopeSet
  readonly audience: (n: number) => readonly string[]
  /** The number of a scope text, stored where it is new; in a write transaction. Null: there are too many already. */
  readonly keepScope: (text: string, now: Milliseconds) => number | null
  /** The same of a list of audiences given as JSON. */
  readonly keepAudience: (members: string, now: Milliseconds) => number | null
  /** Forgets what it remembers: after a rollback, and after sets were removed. */
  readonly forget: () => void
}

type Kept = { readonly n: number; readonly day: number }

const bounded = <K, V>(cache: Map<K, V>, key: K, value: V): V => {
  if (cache.size >= CACHE_MAX) cache.clear()
  cache.set(key, value)
  return value
}

// As many as there are, or a few more where older ones are gone: without reading the table, however large.
const COUNT = {
  scope_set: 'select coalesce((select max(n) from scope_set) - (select min(n) from scope_set) + 1, 0) as n',
  audience_set: 'select coalesce((select max(n) from audience_set) - (select min(n) from audience_set) + 1, 0) as n',
} as const

const countOf = (sql: Statements, table: keyof typeof COUNT): number => sql<{ n: number }>(COUNT[table]).get()?.n ?? 0

const insertScope = (sql: Statements, text: string, day: number): number | null => {
  if (countOf(sql, 'scope_set') >= SCOPE_SETS_MAX) return null
  const n = Number(sql('insert into scope_set (text, used_day) values (?, ?)').run(text, day).lastInsertRowid)
  for (const item of text.split(' ')) sql('insert into scope_set_item values (?, ?)').run(item, n)
  return n
}

const insertAudience = (sql: Statements, members: string, day: number): number | null => {
  if (countOf(sql, 'audience_set') >= AUDIENCE_SETS_MAX) return null
  return Number(sql('insert into audience_set (members, used_day) values (?, ?)').run(members, day).lastInsertRowid)
}

// The day of last use is kept, so that retention can tell unused sets without an index over the tokens.
const KEEP = {
  scope_set: 'update scope_set set used_day = ? where text = ? returning n',
  audience_set: 'update audience_set set used_day = ? where members = ? returning n',
} as const

const keeper = (
  sql: Statements,
  table: keyof typeof KEEP,
  insert: (sql: Statements, text: string, day: number) => number | null,
) => {
  const cache = new Map<string, Kept>()
  const keep = (text: string, now: Milliseconds): number | null => {
    const day = Math.floor(now / DAY_MS)
    const kept = cache.get(text)
    if (kept !== undefined && kept.day === day) return kept.n
    const known = sql<{ n: number }>(KEEP[table]).get(day, text)
    const n = known?.n ?? insert(sql, text, day)
    return n === null ? null : bounded(cache, text, { n, day }).n
  }
  return { keep, forget: () => cache.clear() }
}

const readScope = (sql: Statements, n: number): ScopeSet => {
  const row = sql<{ text: string }>('select text from scope_set where n = ?').get(n)
  if (row === undefined) throw new Error(`The ledger names scope set ${n}, which is not there.`)
  return { text: row.text, items: row.text.split(' ') }
}

const readAudience = (sql: Statements, n: number): readonly string[] => {
  const row = sql<{ members: string }>('select members from audience_set where n = ?').get(n)
  if (row === undefined) throw new Error(`The ledger names audience set ${n}, which is not there.`)
  return parseStrings(row.members)
}

export const setsOf = (sql: Statements): Sets => {
  const scopes = new Map<number, ScopeSet>()
  const audiences = new Map<number, readonly string[]>()
  const scopeKeeper = keeper(sql, 'scope_set', insertScope)
  const audienceKeeper = keeper(sql, 'audience_set', insertAudience)
  return {
    scope: n => scopes.get(n) ?? bounded(scopes, n, readScope(sql, n)),
    audience: n => audiences.get(n) ?? bounded(audiences, n, readAudience(sql, n)),
    keepScope: scopeKeeper.keep,
    keepAudience: audienceKeeper.keep,
    forget: () => {
      scopeKeeper.forget()
      audienceKeeper.forget()
      scopes.clear()
      audiences.clear()
    },
  }
}
