// The order of rows by one of their columns, as text: `-name` is from the highest to the lowest.
import type { Page } from '../reading/page.ts'

export type Order = { readonly by: string; readonly isDescending: boolean }

export const orderOf = (text: string): Order =>
  text.startsWith('-') ? { by: text.slice(1), isDescending: true } : { by: text, isDescending: false }

export const formatOrder = ({ by, isDescending }: Order): string => (isDescending ? '-' : '') + by

export type SortValue = string | number | null

const compareValues = (a: SortValue, b: SortValue): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [String(a), String(b)]
  // As the store does, nearly: by code units, and not by a language.
  if (left === right) return 0
  return left < right ? -1 : 1
}

type Valued<Row> = { readonly row: Row; readonly value: SortValue }

/** Rows without a value stand last in both directions; equal ones keep their order. */
export const sortRows = <Row>({ data, next_cursor: next }: Page<Valued<Row>>, { isDescending }: Order): Page<Row> => {
  const sorted = data.toSorted((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
    return isDescending ? compareValues(b.value, a.value) : compareValues(a.value, b.value)
  })
  return { data: sorted.map(({ row }) => row), next_cursor: null, isPart: next !== null }
}
