// A column of a table of records.
import type { ReactNode } from 'react'

export type Column<Row> = {
  readonly title: string
  readonly show: (row: Row) => ReactNode
  readonly isNumber?: boolean
  /** The order in the address by which rows are first sorted by it, such as `-live`. Undefined where they cannot be. */
  readonly sort?: string
  /** Where there is no room for all: those with 1 are left out first, those without never. */
  readonly drops?: 1 | 2 | 3
}

export const classOf = <Row>({ isNumber, drops }: Column<Row>): string =>
  [...(isNumber === true ? ['number'] : []), ...(drops === undefined ? [] : [`drops-${drops}`])].join(' ')
