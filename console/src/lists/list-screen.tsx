// A screen that is a table: filters in the address, the open record beside it.
import type { ReactNode } from 'react'
import { ApiRefused } from '../../../packages/client/src/administration/api-errors.ts'
import { changeQuery, useAddress } from '../address.ts'
import type { Page, Query } from '../reading/page.ts'
import { type Selection, useSelection } from '../reading/selection.ts'
import { useList } from '../reading/use-list.ts'
import { Chips, type Filter, type Refused } from './chips.tsx'
import { formatNumber } from '../parts/format-number.ts'
import { type CountRecords, ListCount } from './list-count.tsx'
import { LiveBar } from './live-bar.tsx'
import { OPEN } from '../parts/panel.tsx'
import type { Column } from './column.ts'
import { Records } from './records.tsx'
import { SORT, SORTED_MAX, useSorted } from './sort.ts'

/** What can be done with many records: those that were chosen, or all that match. */
type Many<Row> = (asked: {
  readonly query: Query
  readonly rows: readonly Row[]
  readonly selection: Selection<Row>
}) => ReactNode

type ListScreenProps<Row> = {
  readonly title: string
  /** Says what the records are and in which order, for readers of the screen. */
  readonly label: string
  readonly filters?: readonly Filter[]
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  /** Names the list among what was read. */
  readonly name: string
  readonly read: (query: Query) => (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>
  /** The panel of the open record. */
  readonly panel: (id: string) => ReactNode
  readonly empty: ReactNode
  /** The newest stand first, and what is new is counted. */
  readonly isLive?: boolean
  /** How often it is read anew; only after acts of this page unless given. */
  readonly refreshMs?: number
  /** The buttons beside the title, which make a new record. */
  readonly acts?: ReactNode
  /** How many match, beside the title. */
  readonly count?: CountRecords
  readonly many?: Many<Row> | undefined
  /** The elements above the filters. */
  readonly children?: ReactNode
}

const queryOf = (filters: readonly Filter[], query: URLSearchParams): Query =>
  Object.fromEntries(
    filters.flatMap(({ name }) => {
      const value = query.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

/** The filter that the service named where it refused them. */
const refusedAmong = (asked: Query, error: Error | null): Refused | undefined => {
  if (!(error instanceof ApiRefused) || error.status !== 400) return undefined
  const name = Object.keys(asked).find(each => error.description.split(/\W/).includes(each))
  return name === undefined ? undefined : { name, message: error.description }
}

export const ListScreen = <Row,>(props: ListScreenProps<Row>) => {
  const {
    title,
    label,
    filters = [],
    columns,
    idOf,
    name,
    read,
    panel,
    empty,
    isLive = false,
    refreshMs,
    many,
    count,
    acts,
    children,
  } = props
  const { query } = useAddress()
  const sorted = useSorted(columns)
  const asked = { ...queryOf(filters, query), ...(sorted?.asked !== undefined && { [SORT]: sorted.asked }) }
  const openId = query.get(OPEN)
  const list = useList({ queryKey: [name, asked], read: read(asked), idOf, isLive, refreshMs })
  const refused = refusedAmong(asked, list.error)
  const selection = useSelection(list.rows, idOf, JSON.stringify(asked))
  return (
    <>
      <div className="title">
        <h1>{title}</h1>
        {acts !== undefined && <div className="acts">{acts}</div>}
        {count !== undefined && <ListCount name={name} query={asked} ask={count} />}
      </div>
      {children}
      {(filters.length > 0 || isLive) && (
        <div className="list-bar">
          {filters.length > 0 && <Chips filters={filters} refused={refused} />}
          {isLive && <LiveBar changes={list.changes} onShow={list.showNewest} />}
        </div>
      )}
      {sorted === undefined && filters.length > 0 && <p className="quiet">{label}, and in no other order.</p>}
      {list.isPart && (
        <p className="quiet">
          Sorted are the first {formatNumber(SORTED_MAX)} by name. Filter, and the rest is sorted too.
        </p>
      )}
      {many?.({ query: asked, rows: list.rows, selection })}
      <div className="beside">
        {refused !== undefined ? (
          <p className="quiet">Take the filter away that is wrong, or add it anew.</p>
        ) : (
          <Records
            label={label}
            columns={columns}
            idOf={idOf}
            list={list}
            selection={many === undefined ? undefined : selection}
            sorted={sorted}
            openId={openId}
            onOpen={row => changeQuery(OPEN, idOf(row))}
            empty={<section className="empty">{empty}</section>}
          />
        )}
        {openId !== null && panel(openId)}
      </div>
    </>
  )
}
