// What a list shows and what the service has by now: new rows wait until the reader asks for them, and the table stays as it is.
import type { Page } from './page.ts'

export type Changes = {
  readonly added: number
  /** The newest page is all new: there may be more than were counted. */
  readonly isMore: boolean
  readonly gone: ReadonlySet<string>
}

export const NO_CHANGES: Changes = { added: 0, isMore: false, gone: new Set() }

type Compared<Row> = {
  readonly known: readonly Row[]
  /** Whether the list was read to its end. */
  readonly isWhole: boolean
  readonly newest: Page<Row>
  readonly idOf: (row: Row) => string
}

/** Compares rows only as far as the newest page reaches; a row that moved up because others are gone is not new. */
export const compareRows = <Row>({ known, isWhole, newest, idOf }: Compared<Row>): Changes => {
  const knownIds = known.map(idOf)
  const wasKnown = new Set(knownIds)
  const ids = newest.data.map(idOf)
  const lastKnown = ids.findLastIndex(id => wasKnown.has(id))
  const comparable = isWhole || lastKnown === -1 ? ids : ids.slice(0, lastKnown)
  const added = comparable.filter(id => !wasKnown.has(id)).length
  const lastId = ids.at(-1)
  // An empty page of a list that goes on reaches no row.
  const reach = newest.next_cursor === null ? knownIds.length : lastId === undefined ? 0 : knownIds.indexOf(lastId) + 1
  const present = new Set(ids)
  return {
    added,
    isMore: newest.next_cursor !== null && ids.length > 0 && added === ids.length,
    gone: new Set(knownIds.slice(0, reach).filter(id => !present.has(id))),
  }
}
