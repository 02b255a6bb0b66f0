// What moving a store that is being served asks of both sides: the source keeps a log of the rows that change, the target
// says how far it is, and is no store before the end.
import type { TableDigest } from './copy-tables.ts'
import { type Row, type RowSource, type RowTarget, TABLES, type Table } from '../tables.ts'

// Their rows are many, refer to no row by a constraint, and are unique by their key, or never take what another gave up: so
// they are copied while they change. All others are few, and copied in one snapshot.
const HISTORY = [
  'act',
  'token',
  'ended',
  'audit',
  'seal',
  'fact',
  'refused',
  'agent_usage',
  'refusal_count',
  'token_use',
  'late_use',
  'idempotency',
  'used_proof',
]

export const HISTORY_TABLES: readonly Table[] = TABLES.filter(({ name }) => HISTORY.includes(name))
export const REPOSITORY_TABLES: readonly Table[] = TABLES.filter(({ name }) => !HISTORY.includes(name))

/** Rows of a table by their keys, each once. */
export type ChangedKeys = { readonly table: Table; readonly keys: readonly Row[] }

type ChangeRange = {
  /** The number before the range, which is not in it. */
  readonly after: number
  /** The last number of the range. */
  readonly to: number
}

export type MoveSource = RowSource & {
  /** The id of the move: another store, or this one after it was put back, has another one. */
  readonly id: string
  /** Runs `work` in one snapshot. */
  readonly inSnapshot: <T>(work: () => Promise<T>) => Promise<T>
  readonly count: (table: Table) => number
  /** The number of the last change. */
  readonly lastChange: () => number
  readonly changedRepositories: (range: ChangeRange) => readonly ChangedKeys[]
  /** A part of the changes of history, and the number of its last; undefined where there is none left. */
  readonly changedHistory: (
    range: ChangeRange,
  ) => { readonly last: number; readonly changed: readonly ChangedKeys[] } | undefined
  /** Returns those of the rows that exist. */
  readonly rowsAt: (table: Table, columns: readonly string[], keys: readonly Row[]) => readonly Row[]
  /** The last number that was given in a table, also where its row is gone. */
  readonly lastGiven: () => ReadonlyMap<string, number>
}

/**
 * `registers` and `history`: what is being copied. `following`: everything was copied, and changes are made again up to
 * `change`. `proven`: and it was once compared as a whole. `ready`: nothing changes any more. `done`: it is the store.
 */
/** The names as they are stored: `registers` is the stage of REPOSITORY_TABLES. */
export type MoveStage = 'registers' | 'history' | 'following' | 'proven' | 'ready' | 'done'

export type MoveState = {
  readonly stage: MoveStage
  readonly change: number
  /** What was compared; nothing before that. */
  readonly tables: readonly TableDigest[]
}

export type MoveTarget = RowTarget & {
  readonly state: () => Promise<MoveState>
  /** Makes what rows need before they are written; not while `advance` works. */
  readonly prepare: (table: Table, columns: readonly string[], rows: readonly Row[]) => Promise<void>
  /** Commits what `work` does together with how far it is then. */
  readonly advance: (next: Partial<MoveState>, work?: () => Promise<void>) => Promise<void>
  /** The key of the last row that is there; null also where it is not known. */
  readonly lastKey: (table: Table) => Promise<Row | null>
  readonly clear: (table: Table) => Promise<void>
  readonly remove: (table: Table, keys: readonly Row[]) => Promise<void>
  /** Lets go of what no two rows may have: those with these keys are written next. */
  readonly release: (table: Table, keys: readonly Row[]) => Promise<void>
  /** Writes rows in the place of those with the same key. */
  readonly replace: (table: Table, columns: readonly string[], rows: readonly Row[]) => Promise<void>
  readonly rowsAt: (table: Table, columns: readonly string[], keys: readonly Row[]) => Promise<readonly Row[]>
  /** No number is given twice, also where the row that had it is gone. */
  readonly settleRows: (lastGiven: ReadonlyMap<string, number>) => Promise<void>
  /** Updates the statistics of the planner to the rows that are there now. */
  readonly analyze: () => Promise<void>
}

/** A value that two keys, or two rows, share only where they are the same. */
export const textOf = (row: Row): string =>
  JSON.stringify(row.map(value => (value instanceof Uint8Array ? { b: Buffer.from(value).toString('hex') } : value)))
