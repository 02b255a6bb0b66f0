// Reads what the records of a page name, in the program that read them: a hundred ids with a statement, each by a unique index.
import { idsIn, type NameKind, type NameKinds, nameKey, type Names, type WithNames } from '../../domain/lists/names.ts'
import type { Page, TokenLife } from '../../domain/lists/page.ts'
import { all, type Program } from '../statement-program.ts'
import { inBlocks } from './name-conditions.ts'

// An agent that was deleted keeps its row.
const SELECTS: Readonly<Record<NameKind, readonly [column: string, select: string]>> = {
  agent: ['id', 'select id, name, owner from agent where'],
  client: ['client_id', 'select client_id as id, name, owner from agent where'],
  api_key: ['id', 'select id, name, null as owner from api_key where'],
}

type Row = { readonly id: string; readonly name: string; readonly owner: string | null }

type Nameable = WithNames | TokenLife

function* readNames(records: readonly WithNames[], kinds: NameKinds): Program<Names> {
  const names = new Map<string, Row>()
  for (const kind of kinds) {
    const [column, select] = SELECTS[kind]
    const ids = [...new Set(records.flatMap(record => idsIn(record, kind)))]
    for (const { sql, values } of inBlocks(column, ids)) {
      for (const row of yield* all<Row>(`${select} ${sql}`, ...values)) names.set(nameKey(kind, row.id), row)
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
