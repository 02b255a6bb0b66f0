// The order of a list by one of its columns, in the address.
import { PAGE_RECORDS_MAX } from '../../../api/values/lists.ts'
import { changeQuery, useAddress } from '../address.ts'
import { formatOrder, orderOf } from './order.ts'
import type { Column } from './column.ts'
import type { Sorted } from './records.tsx'

export const SORT = 'sort'

/** Rows that are sorted: those of one page, by the order of the store. */
export const SORTED_MAX = PAGE_RECORDS_MAX

/** The order of the store is that of the first column that rows can be sorted by, and stands in no address. Undefined where there is none. */
export const useSorted = <Row>(columns: readonly Column<Row>[]): Sorted | undefined => {
  const { query } = useAddress()
  const [natural, ...others] = columns.flatMap(({ sort }) => (sort === undefined ? [] : [orderOf(sort)]))
  if (natural === undefined) return undefined
  const asked = orderOf(query.get(SORT) ?? '')
  const order = [natural, ...others].some(({ by }) => by === asked.by) ? asked : natural
  const text = formatOrder(order)
  return {
    ...order,
    asked: text === formatOrder(natural) ? undefined : text,
    onSort: sort => {
      const first = orderOf(sort)
      const next = first.by === order.by ? { ...order, isDescending: !order.isDescending } : first
      const changed = formatOrder(next)
      changeQuery(SORT, changed === formatOrder(natural) ? null : changed)
    },
  }
}
