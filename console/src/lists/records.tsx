// A table of records, page after page as the reader scrolls; only the rows in sight are in the document.
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef, useState } from 'react'
import { usePrinting } from '../reading/printing.ts'
import type { Selection } from '../reading/selection.ts'
import type { ReadList } from '../reading/use-list.ts'
import { Fault } from '../parts/fault.tsx'
import { type Column, classOf } from './column.ts'
import { type Order, orderOf } from './order.ts'
import { RecordRow } from './record-row.tsx'
import { Waiting } from '../parts/waiting.tsx'

/** Which column the rows are sorted by. */
export type Sorted = Order & {
  /** The same as text; undefined where it is the order of the store. */
  readonly asked: string | undefined
  readonly onSort: (sort: string) => void
}

type RecordsProps<Row> = {
  /** Says what the records are, for readers of the screen. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  readonly list: ReadList<Row>
  /** Undefined where rows cannot be chosen. */
  readonly selection: Selection<Row> | undefined
  readonly sorted?: Sorted | undefined
  readonly openId: string | null
  readonly onOpen: (row: Row) => void
  readonly empty: ReactNode
}

const ROW_PIXELS = 37
const ROWS_BEYOND = 20
/** The number of rows beyond which the table scrolls by itself on a narrow screen too. */
const ROWS_SHORT = 50

type HeadProps<Row> = {
  readonly columns: readonly Column<Row>[]
  readonly hasBoxes: boolean
  readonly sorted: Sorted | undefined
}

const ariaSortOf = (sort: string | undefined, sorted: Sorted | undefined) => {
  if (sort === undefined || sorted === undefined) return undefined
  if (sorted.by !== orderOf(sort).by) return 'none'
  return sorted.isDescending ? 'descending' : 'ascending'
}

const ARROWS = { none: '', ascending: ' ↑', descending: ' ↓' } as const

const Heading = <Row,>({ column, sorted }: { readonly column: Column<Row>; readonly sorted: Sorted | undefined }) => {
  const { title, sort } = column
  const order = ariaSortOf(sort, sorted)
  return (
    <th scope="col" className={classOf(column)} aria-sort={order}>
      {sort === undefined || order === undefined ? (
        title
      ) : (
        <button type="button" className="sort" onClick={() => sorted?.onSort(sort)}>
          {title}
          <span aria-hidden="true">{ARROWS[order]}</span>
        </button>
      )}
    </th>
  )
}

const Head = <Row,>({ columns, hasBoxes, sorted }: HeadProps<Row>) => (
  <thead>
    <tr>
      {hasBoxes && (
        <th scope="col">
          <span className="unseen">Chosen</span>
        </th>
      )}
      {columns.map(column => (
        <Heading key={column.title} column={column} sorted={sorted} />
      ))}
    </tr>
  </thead>
)

/** Keeps the place of the rows that are not in the document. */
const Space = ({ height }: { readonly height: number }) =>
  height === 0 ? null : <tr aria-hidden="true" style={{ height }} />

/** The rows in the document, and the heights of the spaces around them, in pixels. */
type Shown = { readonly indexes: readonly number[]; readonly above: number; readonly below: number }

const inSightOf = (virtual: Virtualizer<HTMLDivElement, Element>): Shown => {
  const items = virtual.getVirtualItems()
  return {
    indexes: items.map(({ index }) => index),
    above: items[0]?.start ?? 0,
    below: virtual.getTotalSize() - (items.at(-1)?.end ?? 0),
  }
}

const allOf = (rows: readonly unknown[]): Shown => ({ indexes: [...rows.keys()], above: 0, below: 0 })

export const Records = <Row,>(props: RecordsProps<Row>) => {
  const { label, columns, idOf, list, selection, sorted, openId, onOpen, empty } = props
  const { rows, error, failureReason, isPending, hasNextPage, isFetchingNextPage, readMore, readAgain, changes } = list
  const place = useRef<HTMLDivElement>(null)
  const isPrinting = usePrinting()
  const [activeId, setActiveId] = useState<string>()
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PIXELS,
    overscan: ROWS_BEYOND,
    onChange: ({ range }) => {
      if (range !== null && range.endIndex >= rows.length - ROWS_BEYOND) readMore()
    },
  })
  if (isPending || (error !== null && rows.length === 0)) {
    return <Waiting query={{ data: undefined, error, failureReason, refetch: readAgain }} />
  }
  if (rows.length === 0) return empty
  const { indexes, above, below } = isPrinting ? allOf(rows) : inSightOf(virtual)
  const isActiveInSight = indexes.some(index => rows[index] !== undefined && idOf(rows[index]) === activeId)
  return (
    <div className={rows.length > ROWS_SHORT ? 'records long' : 'records'} ref={place} tabIndex={-1}>
      <table aria-label={label} aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
        <Head columns={columns} hasBoxes={selection !== undefined} sorted={sorted} />
        <tbody>
          <Space height={above} />
          {indexes.map((index, order) => {
            const row = rows[index]
            if (row === undefined) return null
            const id = idOf(row)
            return (
              <RecordRow
                key={id}
                columns={columns}
                row={row}
                index={index}
                isOpen={id === openId}
                isGone={changes.gone.has(id)}
                isReachable={isActiveInSight ? id === activeId : order === 0}
                isChosen={selection?.chosen.has(id)}
                onToggle={isRange => selection?.toggle(index, isRange)}
                onOpen={() => onOpen(row)}
                onFocus={() => setActiveId(id)}
              />
            )
          })}
          <Space height={below} />
        </tbody>
      </table>
      {isFetchingNextPage && <p className="quiet">Reading more…</p>}
      {error !== null && <Fault fault={error} onAgain={readMore} />}
    </div>
  )
}
