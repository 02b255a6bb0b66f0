// Reads what the records of a page name, in the program that read them: a hundred ids with a statement, each by a unique index.
import { idsIn, type NameKind, type NameKinds, nameKey, type Names, type WithNames } from '../../domain/lists/names.ts'
import type { Page, TokenLife } from '../../domain/lists/page.ts'
import { all, type Program } from '../statement-program.ts'

/** Fewer use the same statement, whatever a page holds. */
const AT_ONCE = 100
const IDS = Array.from({ length: AT_ONCE }, () => '?').join(', ')

// An agent that was deleted keeps its row.
const SELECTS: Readonly<Record<NameKind, string>> = {
  agent: `select id, name, owner from agent where id in (${IDS})`,
  client: `select client_id as id, name, owner from agent where client_id in (${IDS})`,
  api_key: `select id, name, null as owner from api_key where id in (${IDS})`,
}

type Row = { readonly id: string; readonly name: string; readonly owner: string | null }

type Nameable = WithNames | TokenLife

function* readNames(records: readonly WithNames[], kinds: NameKinds): Program<Names> {
  const names = new Map<string, Row>()
  for (const kind of kinds) {
    const ids = [...new Set(records.flatMap(record => idsIn(record, kind)))]
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, n) => ids[from + n] ?? null)
      for (const row of yield* all<Row>(SELECTS[kind], ...some)) names.set(nameKey(kind, row.id), row)
    }
  }
  return names
}

/** The records with the names of what they name, as far as these kinds are asked for. */
export function* nameRecords<R extends Nameable>(records: readonly R[], kinds: NameKinds = []): Program<readonly R[]> {
  const named = records.map(one => ('token' in one ? { ...one.token, ...one.end } : one))
  const names = yield* readNames(named, kinds)
  return kinds.length === 0 ? records : records.map(record => ({ ...record, names }))
}

/** The program of one record, or of none. */
export function* nameRecord<R extends Nameable | undefined>(found: Program<R>, kinds?: NameKinds): Program<R> {
  const record = yield* found
  if (record === undefined) return record
  const [named = record] = yield* nameRecords([record], kinds)
  return named
}

/** The program of a page, or of none. */
export function* namePage<P extends Page<Nameable> | undefined>(read: Program<P>, kinds?: NameKinds): Program<P> {
  const page = yield* read
  return page === undefined ? page : { ...page, records: yield* nameRecords(page.records, kinds) }
}
