// Merges sorted streams of rows into one page: newest first, no row looked at twice, none skipped.
import { PAGE_EXAMINED_MAX, type Page, type Position } from '../../domain/lists/page.ts'
import type { Program } from '../statement-program.ts'

/** A row of a stream. */
export type Met = Position & {
  /** The rows of the range after the previous row, down to and including this one: the store may have left some of them out. */
  readonly scanned: number
}

type Step<R extends Met> = { readonly rows: readonly R[]; readonly isLast: boolean }

/** Rows of one key range, going down by `at`, then by `id`, fetched in steps. */
export type Stream<R extends Met> = {
  /** No row of this stream is later: it need not be opened while the merge is above. */
  readonly ceiling: number
  /** The next rows below the position `after` (null: from the top), at most `limit`; none only where none follows. */
  readonly fetch: (after: Position | null, limit: number) => Program<Step<R>>
}

const STEP_LEAST = 2
const STEP_MOST = 256

const isAbove = (a: Position, b: Position): boolean => a.at > b.at || (a.at === b.at && a.id > b.id)
const isAt = (a: Position, b: Position | null): boolean => b !== null && a.at === b.at && a.id === b.id

const cursorOf = <R extends Met>(stream: Stream<R>, firstStep: number) => {
  let rows: readonly R[] = []
  let next = 0
  let step = firstStep
  let scanned = 0
  let exhausted = false
  return {
    ceiling: stream.ceiling,
    /** Whether the next row must be fetched first, or the end seen. */
    isDry: (): boolean => next >= rows.length && !exhausted,
    refill: function* (): Program<void> {
      const fetched = yield* stream.fetch(rows.at(-1) ?? null, step)
      rows = fetched.rows
      exhausted = fetched.isLast
      scanned += rows.reduce((sum, row) => sum + row.scanned, 0)
      next = 0
      step = Math.min(step * 2, STEP_MOST)
    },
    /** The next row; undefined at the end. */
    head: (): R | undefined => rows[next],
    pop: (): void => {
      next += 1
    },
    /** Rows that it has looked at, those left out among them. */
    scanned: (): number => scanned,
  }
}

type Cursor<R extends Met> = ReturnType<typeof cursorOf<R>>

type Top<R extends Met> = { readonly row: R; readonly cursor: Cursor<R> }

/** The uppermost row and where it is; a cursor that is dry must be refilled before it is known. */
const uppermost = <R extends Met>(cursors: readonly Cursor<R>[]): Top<R> | { dry: Cursor<R> } | undefined => {
  let best: Top<R> | undefined
  for (const cursor of cursors) {
    // Sorted by ceiling: from here on no stream can hold a row above the best one.
    if (best !== undefined && cursor.ceiling < best.row.at) break
    if (cursor.isDry()) return { dry: cursor }
    const row = cursor.head()
    if (row !== undefined && (best === undefined || isAbove(row, best.row))) best = { row, cursor }
  }
  return best
}

type PageBounds = {
  readonly limit: number
  /**
   * Whether rows are hidden from the caller. Then a full page has a next one only if a row that the caller may see
   * follows: else the cursor would reveal the others.
   */
  readonly hidesRows: boolean
}

type Gathered<R> = { readonly found: readonly R[]; readonly next: Position | null }

function* gather<R extends Met>(
  cursors: readonly Cursor<R>[],
  wanted: number,
  keeps: (row: R) => boolean,
): Program<Gathered<R>> {
  const found: R[] = []
  let last: Position | null = null
  let lookedUp = 0
  for (let top = uppermost(cursors); top !== undefined; top = uppermost(cursors)) {
    if ('dry' in top) {
      yield* top.dry.refill()
      continue
    }
    const full = found.length >= wanted || lookedUp >= PAGE_EXAMINED_MAX
    // A token stands at one position in the streams of all cut-offs of one millisecond, and is shown in one of them:
    // a page that ended between them would skip it.
    if (full && !isAt(top.row, last)) return { found, next: last }
    lookedUp += top.row.scanned
    last = { at: top.row.at, id: top.row.id }
    if (keeps(top.row)) found.push(top.row)
    top.cursor.pop()
  }
  return { found, next: null }
}

/**
 * One page of the rows that `keeps` lets through. The next position is that of the last row looked at, not of the last
 * one returned, so that a page that hides all its rows still gets on.
 */
export function* mergePage<R extends Met>(
  streams: readonly Stream<R>[],
  { limit, hidesRows }: PageBounds,
  keeps: (row: R) => boolean,
): Program<Page<R>> {
  // A stream alone returns the whole page; of many each returns a little more than its share.
  const share = Math.ceil(((limit + 1) * (streams.length > 1 ? 2 : 1)) / Math.max(streams.length, 1))
  const firstStep = Math.min(Math.max(share, STEP_LEAST), STEP_MOST)
  const cursors = streams.map(stream => cursorOf(stream, firstStep)).toSorted((a, b) => b.ceiling - a.ceiling)
  const { found, next } = yield* gather(cursors, hidesRows ? limit + 1 : limit, keeps)
  const records = found.slice(0, limit)
  const last = records.at(-1)
  return {
    records,
    next: found.length > limit && last !== undefined ? { at: last.at, id: last.id } : next,
    examined: cursors.reduce((sum, cursor) => sum + cursor.scanned(), 0),
  }
}
