// A page of a list, and what it was asked for.

export type Page<Row> = { readonly data: readonly Row[]; readonly next_cursor: string | null }

/** The filters, as the API calls them. */
export type Query = Readonly<Record<string, string>>
