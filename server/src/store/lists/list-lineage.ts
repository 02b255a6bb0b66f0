// The tree of a token: its root first, then the children of each parent, in the order in which parents got their first child.
// A parent so comes before its children.
import { isForAny } from '../../../../api/values/audience.ts'
import {
  type LineageOf,
  type LineageRecord,
  type Page,
  PAGE_EXAMINED_MAX,
  type PageRequest,
  type Position,
} from '../../domain/lists/page.ts'
import { ABOVE_EVERY_ID } from '../../domain/ledger/claims.ts'
import { makeJudge } from '../ledger/judge.ts'
import { lineagesBelow } from '../ledger/lineages.ts'
import type { NameCaches } from '../ledger/name-caches.ts'
import { readLifetimes } from '../ledger/scan-affected-rows.ts'
import { findRow } from '../ledger/find-row.ts'
import { lifeOfEnded, lifeOfRow } from '../ledger/show-token.ts'
import { TOKEN_COLUMNS, type TokenRow } from '../ledger/token-rows.ts'
import { recall } from '../name-cache.ts'
import { bytesOfId, idOfBytes } from '../rows.ts'
import type { Snapshot } from '../snapshot.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'
import { ENDED_COLUMNS, type EndedRow } from './ended-streams.ts'

type Row = TokenRow | EndedRow

const CHILDREN = {
  live: `select ${TOKEN_COLUMNS} from token ${byIndex('token_lineage')}
    where lineage = ? and life = ? and id > ? order by id limit ?`,
  ended: `select ${ENDED_COLUMNS} from ended ${byIndex('ended_child')}
    where lineage = ? and id > ? and at between ? and ? order by id limit ?`,
} as const

/** Lineages that a page looks at. */
const LINEAGES_MAX = 1000

const BELOW_EVERY_ID = '00000000-0000-0000-0000-000000000000'

type Tree = { readonly snapshot: Snapshot; readonly rootId: string; readonly lives: readonly number[] }

/** Children of one lineage above an id, in the order of their ids. */
function* childrenOf(
  { snapshot, rootId, lives }: Tree,
  lineage: number,
  after: string,
  limit: number,
): Program<readonly Row[]> {
  const rows: Row[] = [
    ...(yield* all<EndedRow>(CHILDREN.ended, lineage, bytesOfId(after), ...snapshot.endedBetween(rootId), limit)),
  ]
  for (const life of lives) rows.push(...(yield* all<TokenRow>(CHILDREN.live, lineage, life, bytesOfId(after), limit)))
  return rows.toSorted((a, b) => Buffer.compare(a.id, b.id)).slice(0, limit)
}

/** A row of the tree, or the id of a token that retention removed. */
type Found = { readonly position: Position; readonly row: Row | null; readonly id: string }

const ROOT: Position = { at: 0, id: BELOW_EVERY_ID }

function* findAt(snapshot: Snapshot, id: string, position: Position): Program<Found> {
  return { position, id, row: (yield* findRow(snapshot, id)) ?? null }
}

const PARENT = 'select parent from lineage where n = ?'

/** The parent of a lineage where retention removed it: a removed root is the first record. */
function* removedParent({ snapshot, rootId }: Tree, lineage: number): Program<readonly Found[]> {
  const row = yield* first<{ parent: Uint8Array }>(PARENT, lineage)
  const id = row === undefined ? rootId : idOfBytes(row.parent)
  if (id === rootId) return []
  const found = yield* findAt(snapshot, id, { at: lineage, id: BELOW_EVERY_ID })
  return found.row === null ? [found] : []
}

type Examined = {
  /** The records that `examine` found: one beyond the limit shows that there are more. */
  readonly found: readonly Found[]
  /** Where to go on; of `examine` if no more than the limit was found. Null: nothing follows. */
  readonly rest: Position | null
}

/** Rows of the tree after a position; null from its root. */
function* examine(tree: Tree, after: Position | null, limit: number): Program<Examined> {
  const found: Found[] = after === null ? [yield* findAt(tree.snapshot, tree.rootId, ROOT)] : []
  const from = after ?? ROOT
  const lineages = yield* lineagesBelow(bytesOfId(tree.rootId), Math.max(0, from.at - 1), LINEAGES_MAX)
  for (const lineage of lineages) {
    if (found.length > limit) break
    const isBegun = lineage === from.at
    if (!isBegun) found.push(...(yield* removedParent(tree, lineage)))
    const start = isBegun ? from.id : BELOW_EVERY_ID
    for (const row of yield* childrenOf(tree, lineage, start, limit + 1 - found.length)) {
      found.push({ position: { at: lineage, id: idOfBytes(row.id) }, id: idOfBytes(row.id), row })
    }
  }
  const last = lineages.length === LINEAGES_MAX ? lineages.at(-1) : undefined
  return { found, rest: last === undefined ? null : { at: last, id: ABOVE_EVERY_ID } }
}

function* recordsOf(snapshot: Snapshot, nameCaches: NameCaches, found: readonly Found[]): Program<LineageRecord[]> {
  const judge = makeJudge(snapshot, yield* snapshot.cutOffs())
  const records: LineageRecord[] = []
  for (const { id, row } of found) {
    if (row === null) records.push({ id, removed: true })
    else if ('reason' in row) records.push(yield* lifeOfEnded({ snapshot, nameCaches }, row))
    else records.push(yield* lifeOfRow({ snapshot, nameCaches, judge }, row))
  }
  return records
}

function* isFor({ sets }: Snapshot, row: Row | null, audiences: readonly string[] | null): Program<boolean> {
  if (audiences === null) return true
  if (row === null) return false
  return isForAny(audiences, yield* recall(sets.audience, row.aud))
}

type Asked = Pick<PageRequest<LineageOf>, 'audiences' | 'after' | 'limit'>

/**
 * Rows of the tree that the caller may see, and the position to go on from. That of a hidden row would reveal its id: it is
 * given only where a request has looked at as many rows as it may.
 */
function* gather(tree: Tree, { audiences, after, limit }: Asked): Program<Examined & { readonly examined: number }> {
  const seen: Found[] = []
  let from = after
  for (let examined = 0; ; ) {
    const { found, rest } = yield* examine(tree, from, limit)
    examined += found.length
    for (const one of found) if (yield* isFor(tree.snapshot, one.row, audiences)) seen.push(one)
    const page = seen.slice(0, limit)
    if (seen.length > limit) return { found: page, rest: page.at(-1)?.position ?? null, examined }
    if (found.length <= limit) return { found: page, rest, examined }
    from = found.at(-1)?.position ?? null
    if (examined >= PAGE_EXAMINED_MAX) return { found: page, rest: from, examined }
  }
}

/** A page of the tree of which a token is a member; undefined where nothing is left of it. */
export function* listLineage(
  snapshot: Snapshot,
  nameCaches: NameCaches,
  { filters: { memberId }, ...asked }: PageRequest<LineageOf>,
): Program<Page<LineageRecord> | undefined> {
  const member = yield* findRow(snapshot, memberId)
  if (member === undefined) return undefined
  const ancestors = member.lineage === null ? [] : yield* recall(snapshot.sets.lineage, member.lineage)
  const tree = { snapshot, rootId: ancestors.at(-1)?.id ?? memberId, lives: yield* readLifetimes() }
  const { found, rest, examined } = yield* gather(tree, asked)
  return { records: yield* recordsOf(snapshot, nameCaches, found), next: rest, examined }
}
