// A page of a list, and what it was asked for.

export type Page<Row> = {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
  /** There are more, which are not among those that were sorted. */
  readonly isPart?: boolean
}

/** The filters, as the API calls them. */
export type Query = Readonly<Record<string, string>>

/** The same for the API, where a label may repeat. */
export const withLabels = ({ label, ...query }: Query) => ({ ...query, ...(label !== undefined && { label: [label] }) })
