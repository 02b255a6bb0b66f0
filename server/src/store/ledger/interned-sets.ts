// Scope sets and audience sets: each distinct text is stored once, and tokens name it by number.
import { hasResource, hasSpellings } from '../../../../api/values/audience.ts'
import { DAY_MS, type Milliseconds } from '../../../../api/values/time.ts'
import { cache, type NameCache, cached } from '../name-cache.ts'
import { parseStrings } from '../rows.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'
import { type Lineages, makeLineages } from './lineages.ts'
import { readIssuerOf } from './principals.ts'

const SCOPE_SETS_MAX = 65_536
const AUDIENCE_SETS_MAX = 65_536

export type ScopeSet = { readonly text: string; readonly items: readonly string[] }

export type Sets = {
  readonly scope: NameCache<number, ScopeSet>
  readonly audience: NameCache<number, readonly string[]>
  readonly lineage: Lineages
  /** The number of a principal's issuer. */
  readonly issuer: NameCache<number, number>
  /** The number of a scope text, stored where it is new; in a write transaction. Null: there are too many already. */
  readonly keepScope: (text: string, now: Milliseconds) => Program<number | null>
  /** Interns a list of audiences, given as JSON. */
  readonly keepAudience: (members: string, now: Milliseconds) => Program<number | null>
  /** Forgets what it remembers: after a rollback, and after sets were removed. */
  readonly forget: () => void
}

type Kept = { readonly n: number; readonly day: number }

// As many as there are, or a few more where older ones are gone: without reading the table, however large.
const COUNT = {
  scope_set: 'select coalesce((select max(n) from scope_set) - (select min(n) from scope_set) + 1, 0) as n',
  audience_set: 'select coalesce((select max(n) from audience_set) - (select min(n) from audience_set) + 1, 0) as n',
} as const

// With more than one writer, another may have stored the set since it was looked for.
const INSERT = {
  scope_set: `insert into scope_set (text, used_day) values (?, ?)
    on conflict (text) do update set used_day = excluded.used_day returning n`,
  audience_set: `insert into audience_set (members, used_day) values (?, ?)
    on conflict (members) do update set used_day = excluded.used_day returning n`,
} as const

const ITEM = 'insert into scope_set_item (item, n) values (?, ?) on conflict do nothing'

const MAX = { scope_set: SCOPE_SETS_MAX, audience_set: AUDIENCE_SETS_MAX } as const

// The day of last use is kept, so that retention can find unused sets without an index over the tokens.
const KEEP = {
  scope_set: 'update scope_set set used_day = ? where text = ? returning n',
  audience_set: 'update audience_set set used_day = ? where members = ? returning n',
} as const

type Table = keyof typeof COUNT

type Numbered = { readonly n: number }

function* insertSet(table: Table, text: string, day: number): Program<number | null> {
  if ((yield* only<Numbered>(COUNT[table])).n >= MAX[table]) return null
  const { n } = yield* only<Numbered>(INSERT[table], text, day)
  if (table === 'audience_set') return n
  for (const item of text.split(' ')) yield* run(ITEM, item, n)
  return n
}

type SetCache = {
  readonly keep: (text: string, now: Milliseconds) => Program<number | null>
  readonly forget: () => void
}

const setCache = (table: Table): SetCache => {
  const memory = new Map<string, Kept>()
  return {
    keep: function* (text, now) {
      const day = Math.floor(now / DAY_MS)
      const kept = memory.get(text)
      if (kept !== undefined && kept.day === day) return kept.n
      const known = yield* first<Numbered>(KEEP[table], day, text)
      const n = known?.n ?? (yield* insertSet(table, text, day))
      return n === null ? null : cache(memory, text, { n, day }).n
    },
    forget: () => memory.clear(),
  }
}

function* readScope(n: number): Program<ScopeSet | undefined> {
  const row = yield* first<{ text: string }>('select text from scope_set where n = ?', n)
  return row === undefined ? undefined : { text: row.text, items: row.text.split(' ') }
}

function* readAudience(n: number): Program<readonly string[] | undefined> {
  const row = yield* first<{ members: string }>('select members from audience_set where n = ?', n)
  return row === undefined ? undefined : parseStrings(row.members)
}

const MEMBERS = 'select n, members from audience_set where n > ? order by n limit 1000'

/**
 * The audiences as they are given, and as tokens spell them where they are the same resources: one that was issued before this
 * transaction has its set here.
 */
export function* spellingsOf(audiences: readonly string[]): Program<readonly string[]> {
  if (!audiences.some(hasSpellings)) return audiences
  const spellings = new Set(audiences)
  let after = 0
  for (;;) {
    const rows = yield* all<{ n: number; members: string }>(MEMBERS, after)
    for (const { members } of rows) {
      for (const one of parseStrings(members)) if (hasResource(audiences, one)) spellings.add(one)
    }
    const last = rows.at(-1)
    if (last === undefined) return [...spellings]
    after = last.n
  }
}

export const makeSets = (): Sets => {
  const scope = cached('scope set', readScope)
  const audience = cached('audience set', readAudience)
  const lineage = makeLineages()
  const issuer = cached('principal', readIssuerOf)
  const scopeSets = setCache('scope_set')
  const audienceSets = setCache('audience_set')
  return {
    scope,
    audience,
    lineage,
    issuer,
    keepScope: scopeSets.keep,
    keepAudience: audienceSets.keep,
    forget: () => {
      for (const memory of [scopeSets, audienceSets, scope, audience, lineage, issuer]) memory.forget()
    },
  }
}
