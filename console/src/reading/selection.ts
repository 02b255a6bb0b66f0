// The rows of a list that the reader chose: one by one, or from the last one that was chosen to another.
import { useState } from 'react'

export type Selection<Row> = {
  readonly chosen: ReadonlyMap<string, Row>
  /** `index` is the place of the row among `rows`; with `isRange`, all from the last one on become as this one does. */
  readonly toggle: (index: number, isRange: boolean) => void
  readonly clear: () => void
}

type Chosen<Row> = { readonly of: string; readonly rows: ReadonlyMap<string, Row>; readonly last: number }

/** `of` names the list: what was chosen in another one is forgotten. */
export const useSelection = <Row>(rows: readonly Row[], idOf: (row: Row) => string, of: string): Selection<Row> => {
  const none: Chosen<Row> = { of, rows: new Map(), last: 0 }
  const [kept, setKept] = useState(none)
  const chosen = kept.of === of ? kept : none
  const toggle = (index: number, isRange: boolean): void => {
    const row = rows[index]
    if (row === undefined) return
    const isChosen = !chosen.rows.has(idOf(row))
    const [from, to] = isRange ? [Math.min(chosen.last, index), Math.max(chosen.last, index)] : [index, index]
    const next = new Map(chosen.rows)
    for (const each of rows.slice(from, to + 1)) {
      if (isChosen) next.set(idOf(each), each)
      else next.delete(idOf(each))
    }
    setKept({ of, rows: next, last: index })
  }
  return { chosen: chosen.rows, toggle, clear: () => setKept(none) }
}
