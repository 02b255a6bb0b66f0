// Lineages: the ancestors that all children of one token share are stored once, and the children name them by number.
import type { Ancestor } from '../../domain/ledger/lineage.ts'
import { DAY_MS, type Milliseconds } from '../../../../api/values/time.ts'
import { excludeEarlierPrograms } from '../schema-version.ts'
import { cached, type NameCache } from '../name-cache.ts'
import { bytesOfId, idOfBytes } from '../rows.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'

/** From what a token comes: its ancestors, the parent first, and the number of the principal for whom it acts; null: for an agent. */
export type Origin = { readonly above: readonly StoredAncestor[]; readonly principal: number | null }

/** An ancestor as it is stored; `audience` is the number of a list of audiences. */
export type StoredAncestor = Ancestor & { readonly audience: number }

type Stored = readonly [
  life: number,
  id: string,
  agent: number,
  credential: number,
  key: number,
  audience: number,
  seq: number,
]

const format = (ancestors: readonly StoredAncestor[]): string =>
  JSON.stringify(
    ancestors.map((one): Stored => {
      return [one.lifetimeSeconds, one.id, one.agent, one.credential, one.key, one.audience, one.seq]
    }),
  )

const parse = (json: string): readonly StoredAncestor[] =>
  (JSON.parse(json) as readonly Stored[]).map(([lifetimeSeconds, id, agent, credential, key, audience, seq]) => {
    return { lifetimeSeconds, id, agent, credential, key, audience, seq }
  })

/** The ancestors of a lineage, by its number. */
export type Lineages = NameCache<number, readonly StoredAncestor[]>

function* readLineage(n: number): Program<readonly StoredAncestor[] | undefined> {
  const row = yield* first<{ ancestors: string }>('select ancestors from lineage where n = ?', n)
  return row === undefined ? undefined : parse(row.ancestors)
}

export const makeLineages = (): Lineages => cached('lineage', readLineage)

type Numbered = { readonly n: number }

const KEEP = 'update lineage set used_day = ? where parent = ? returning n'
const INSERT = 'insert into lineage (parent, ancestors, used_day, principal) values (?, ?, ?, ?) returning n'

/** The number of the lineage of a token's children, stored where the child is its first; in a write transaction. */
export function* keepLineage({ above: ancestors, principal }: Origin, now: Milliseconds): Program<number> {
  const [parent] = ancestors
  if (parent === undefined) throw new Error('A lineage has at least one ancestor.')
  const day = Math.floor(now / DAY_MS)
  const known = yield* first<Numbered>(KEEP, day, bytesOfId(parent.id))
  if (known !== undefined) return known.n
  yield* excludeEarlierPrograms('lineage')
  const { n } = yield* only<Numbered>(INSERT, bytesOfId(parent.id), format(ancestors), day, principal)
  for (const { id } of ancestors) {
    yield* run('insert into lineage_ancestor (ancestor, n) values (?, ?)', bytesOfId(id), n)
  }
  return n
}

/** The number of the principal for whom the tokens of a lineage act; null where it is an agent. */
export function* principalOfLineage(n: number): Program<number | null> {
  return (yield* only<{ principal: number | null }>('select principal from lineage where n = ?', n)).principal
}

/** The number of the lineage of a token's children; undefined where it has none. */
export function* lineageBelow(parentId: string): Program<number | undefined> {
  return (yield* first<Numbered>('select n from lineage where parent = ?', bytesOfId(parentId)))?.n
}

/** Whether any token has, or had, a parent. */
export function* hasLineages(): Program<boolean> {
  return (yield* first('select 1 as found from lineage limit 1')) !== undefined
}

const BELOW = 'select n from lineage_ancestor where ancestor = ? and n > ? order by n limit ?'

/** Numbers of the lineages in which a token is an ancestor, above `after` and ascending: parents before their children. */
export function* lineagesBelow(ancestorId: Uint8Array, after: number, limit: number): Program<readonly number[]> {
  return (yield* all<Numbered>(BELOW, ancestorId, after, limit)).map(({ n }) => n)
}

const PARENTS_AT_ONCE = 100
const PARENTS = `select parent from lineage where parent in (${Array.from({ length: PARENTS_AT_ONCE }, () => '?').join(', ')})`

/** Which of these tokens have, or had, children; by their ids. */
export function* parentsAmong(ids: readonly Uint8Array[]): Program<ReadonlySet<string>> {
  const parents = new Set<string>()
  for (let from = 0; from < ids.length; from += PARENTS_AT_ONCE) {
    const some = Array.from({ length: PARENTS_AT_ONCE }, (_, n) => ids[from + n] ?? null)
    for (const { parent } of yield* all<{ parent: Uint8Array }>(PARENTS, ...some)) parents.add(idOfBytes(parent))
  }
  return parents
}
