// The rows of a list that the reader chose: one by one, or from the last one that was chosen to another.
import { useState } from 'react'

export type Selection<Row> = {
  readonly chosen: ReadonlyMap<string, Row>
  /** `index` is the place of the row among `rows`; with `isRange`, all from the last one on become as this one does. */
  readonly toggle: (index: number, isRange: boolean) => void
  readonly clear: () => void
  /** Keeps those of these ids alone. */
  readonly keep: (ids: readonly string[]) => void
}

/** `last` is the id of the row that was chosen or given up last. */
export type Chosen<Row> = { readonly rows: ReadonlyMap<string, Row>; readonly last: string | null }

export const NONE_CHOSEN: Chosen<never> = { rows: new Map<string, never>(), last: null }

type Toggled<Row> = {
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly index: number
  readonly isRange: boolean
}

/** A range begins at the row that was chosen last, wherever that is by now; if it is gone, the one row alone is chosen. */
export const toggleRows = <Row>(chosen: Chosen<Row>, { rows, idOf, index, isRange }: Toggled<Row>): Chosen<Row> => {
  const row = rows[index]
  if (row === undefined) return chosen
  const isChosen = !chosen.rows.has(idOf(row))
  const begin = isRange ? rows.findIndex(each => idOf(each) === chosen.last) : -1
  const [from, to] = begin === -1 ? [index, index] : [Math.min(begin, index), Math.max(begin, index)]
  const next = new Map(chosen.rows)
  for (const each of rows.slice(from, to + 1)) {
    if (isChosen) next.set(idOf(each), each)
    else next.delete(idOf(each))
  }
  return { rows: next, last: idOf(row) }
}

/** `of` names the list: what was chosen in another one is forgotten. */
export const useSelection = <Row>(rows: readonly Row[], idOf: (row: Row) => string, of: string): Selection<Row> => {
  const [kept, setKept] = useState<{ readonly of: string; readonly chosen: Chosen<Row> }>({ of, chosen: NONE_CHOSEN })
  const chosen = kept.of === of ? kept.chosen : NONE_CHOSEN
  return {
    chosen: chosen.rows,
    toggle: (index, isRange) => setKept({ of, chosen: toggleRows(chosen, { rows, idOf, index, isRange }) }),
    clear: () => setKept({ of, chosen: NONE_CHOSEN }),
    keep: ids => {
      const left = [...chosen.rows].filter(([id]) => ids.includes(id))
      setKept({ of, chosen: { rows: new Map(left), last: null } })
    },
  }
}
