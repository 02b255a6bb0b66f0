// The tokens that act for a subject of an issuer: those that live, and those that ended.
import type { TokenRecord } from '../../../packages/client/src/index.ts'
import { addressOf, go } from '../address.ts'
import type { Column } from '../lists/column.ts'
import { type CountRecords, ListCount } from '../lists/list-count.tsx'
import { NewRows } from '../lists/live-bar.tsx'
import { Records } from '../lists/records.tsx'
import { Link } from '../parts/link.tsx'
import { OPEN } from '../parts/panel.tsx'
import type { Page, Query } from '../reading/page.ts'
import { useList } from '../reading/use-list.ts'
import { SUBJECT } from '../parts/subject-address.ts'

type SubjectTokensProps<Row> = {
  readonly title: string
  readonly subject: string
  /** The list is on the screen of this name too. */
  readonly name: 'tokens' | 'history'
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  readonly count: CountRecords
  readonly read: (query: Query) => (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>
}

export const SubjectTokens = <Row extends TokenRecord>(props: SubjectTokensProps<Row>) => {
  const { title, subject, name, label, columns, idOf, count, read } = props
  const query = { [SUBJECT]: subject }
  const list = useList({ queryKey: [name, query], read: read(query), idOf, isLive: true, refreshMs: undefined })
  const listAt = (more: Query): string => addressOf(name, new URLSearchParams({ ...query, ...more }))
  return (
    <section className="sheet" aria-label={title}>
      <div className="title">
        <h2>{title}</h2>
        <ListCount name={name} query={query} ask={count} />
        <NewRows changes={list.changes} onShow={list.showNewest} />
        <Link to={listAt({})}>As a list with filters</Link>
      </div>
      <Records
        label={label}
        columns={columns}
        idOf={idOf}
        list={list}
        selection={undefined}
        openId={null}
        onOpen={row => go(listAt({ [OPEN]: idOf(row) }))}
        empty={<p className="quiet">None.</p>}
      />
    </section>
  )
}
