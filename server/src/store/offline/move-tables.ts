// Moves a store into another one while it is served: a copy of what is there, then what has changed since, again and again;
// each time proven. What is left when nobody serves it any more is little, however large the store is.
import { StoreProblem } from '../store-problem.ts'
import { copyTable, keyOf, type OnRows, verifyTable, sameColumns, type TableDigest } from './copy-tables.ts'
import {
  type ChangedKeys,
  HISTORY_TABLES,
  type MoveSource,
  type MoveState,
  type MoveTarget,
  REPOSITORY_TABLES,
  textOf,
} from './moving.ts'
import { type Row, SERVICE, TABLES, type Table } from '../tables.ts'

/** Called with how far it is: rows of `of`, in a step of the move. */
export type OnMoved = (step: 'copied' | 'compared' | 'changed', what: string, rows: number, of: number) => void

export type Move = { readonly source: MoveSource; readonly target: MoveTarget; readonly onMoved: OnMoved }

/** Reports of a table how many of its rows are done, of those that the source has by now. */
const reporter = ({ source, onMoved }: Move, step: 'copied' | 'compared', table: Table): OnRows => {
  const of = source.count(table)
  return (name, rows) => onMoved(step, name, rows, of)
}

/** Copies in one snapshot and one transaction: these rows refer to each other, and names pass between them. */
const copyRepositories = (move: Move): Promise<void> => {
  const { source, target } = move
  return source.inSnapshot(() =>
    target.advance({ stage: 'history' }, async () => {
      for (const table of REPOSITORY_TABLES.toReversed()) await target.clear(table)
      for (const table of REPOSITORY_TABLES) {
        await copyTable(source, target, { table, last: null, onRows: reporter(move, 'copied', table) })
      }
    }),
  )
}

/** Page by page, as each page is at its moment: what changes meanwhile is in the log. */
const copyHistory = async (move: Move): Promise<void> => {
  const { source, target } = move
  for (const table of HISTORY_TABLES) {
    const [last, onRows] = [await target.lastKey(table), reporter(move, 'copied', table)]
    await copyTable(source, target, { table, last, onRows })
  }
  await target.analyze()
  await target.advance({ stage: 'following' })
}

type Part = ChangedKeys & { readonly columns: readonly string[]; readonly rows: readonly Row[] }

const partOf = async ({ source, target }: Move, { table, keys }: ChangedKeys): Promise<Part> => {
  const columns = await sameColumns(source, target, table)
  return { table, keys, columns, rows: source.rowsAt(table, columns, keys) }
}

const gone = ({ table, keys, columns, rows }: Part): readonly Row[] => {
  const there = new Set(rows.map(row => textOf(keyOf(table, columns, row))))
  return keys.filter(key => !there.has(textOf(key)))
}

const verifyChanges = async (target: MoveTarget, { table, keys, columns, rows }: Part): Promise<void> => {
  const are = (await target.rowsAt(table, columns, keys)).map(textOf).toSorted()
  const were = rows.map(textOf).toSorted()
  if (are.length === were.length && are.every((text, n) => text === were[n])) return
  throw new StoreProblem(
    `What changed in ${table.name} is not what was copied of it. Begin anew with an empty database.`,
  )
}

/** Makes the rows of the target what they are in the source by now, and looks at them again; in one transaction. */
const makeAgain = async (move: Move, changed: readonly ChangedKeys[], next: Partial<MoveState>): Promise<void> => {
  const { target } = move
  const parts = await Promise.all(changed.map(one => partOf(move, one)))
  for (const { table, columns, rows } of parts) await target.prepare(table, columns, rows)
  await target.advance(next, async () => {
    for (const part of parts.toReversed()) await target.remove(part.table, gone(part))
    for (const { table, keys } of parts) await target.release(table, keys)
    for (const { table, columns, rows } of parts) await target.replace(table, columns, rows)
    for (const part of parts) await verifyChanges(target, part)
  })
}

const countKeys = (changed: readonly ChangedKeys[]): number => changed.reduce((sum, { keys }) => sum + keys.length, 0)

/**
 * Copies in a snapshot everything that changed up to its moment. Registers come first and at once, because a name that one
 * of them released may belong to another; they are copied again if this is interrupted. Returns how many rows changed.
 */
const makeChangesAgain = async (move: Move): Promise<number> => {
  const { source, target, onMoved } = move
  const [{ change }, to] = [await target.state(), source.lastChange()]
  if (to < change) {
    throw new StoreProblem(
      'The store was put back as it had been earlier, and its copy is not of it: run migrate-store with --abandon, and begin with an empty database.',
    )
  }
  const repositories = source.changedRepositories({ after: change, to })
  if (repositories.length > 0) await makeAgain(move, repositories, {})
  let rows = countKeys(repositories)
  let after = change
  for (;;) {
    const part = source.changedHistory({ after, to })
    if (part === undefined) break
    await makeAgain(move, part.changed, { change: part.last })
    rows += countKeys(part.changed)
    after = part.last
    onMoved('changed', 'changes', after - change, to - change)
  }
  if (to > change) await target.advance({ change: to })
  return rows
}

/** Verifies everything, as of one moment. */
const verify = (move: Move): Promise<void> =>
  move.source.inSnapshot(async () => {
    const { source, target } = move
    await makeChangesAgain(move)
    const tables: TableDigest[] = []
    for (const table of TABLES) tables.push(await verifyTable(source, target, table, reporter(move, 'compared', table)))
    await target.advance({ stage: 'proven', tables })
  })

/** The number below which changes wait until no process serves; after ROUNDS_MAX rounds more may be left. */
const CHANGES_LEFT = 1000
const ROUNDS_MAX = 5

const refuseDone = async ({ target }: Move): Promise<void> => {
  if ((await target.state()).stage !== 'done') return
  throw new StoreProblem('The database holds a store already, which this one became before: name an empty one.')
}

/** Copies while other processes serve the source. Continues an interrupted copy. */
export const copyStore = async (move: Move) => {
  const { source, target } = move
  await refuseDone(move)
  if ((await target.state()).stage === 'registers') await copyRepositories(move)
  if ((await target.state()).stage === 'history') await copyHistory(move)
  if ((await target.state()).stage === 'following') await verify(move)
  let changed = 0
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    changed += await source.inSnapshot(() => makeChangesAgain(move))
    if (source.lastChange() - (await target.state()).change < CHANGES_LEFT) break
  }
  return { tables: (await target.state()).tables, changed }
}

/** Copies the last changes of a source that was copied before and changes no more. Returns how many rows had changed. */
export const copyLastChanges = async (move: Move): Promise<number> => {
  await refuseDone(move)
  const changed = await makeChangesAgain(move)
  await move.target.advance({ stage: 'ready' })
  return changed
}

/** Completes the target when nobody can serve the source any more: the row without which nothing serves it comes last. */
export const makeStoreOfCopy = async ({ source, target }: Move): Promise<readonly TableDigest[]> => {
  const { stage, tables } = await target.state()
  if (stage === 'done') return tables
  if (stage !== 'ready') throw new StoreProblem('The database is not the one into which the store was copied.')
  await target.advance({ stage: 'done' }, async () => {
    await target.settleRows(source.lastGiven())
    await copyTable(source, target, { table: SERVICE, last: null })
  })
  return tables
}
