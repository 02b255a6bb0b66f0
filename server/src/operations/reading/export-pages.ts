// What every export does: it reads a list to its end, a page at a time, for a caller who may read it until then.
import type { Administrator } from '../../domain/caller.ts'
import { isRefused, type OrRefusal } from '../../domain/refusal.ts'
import type { ListPage, ListRequest } from './read-page.ts'

/**
 * Records in a page, at most: what an export holds in memory, and for how long it keeps a thread from other requests,
 * which get their turn between two pages.
 */
const EXPORT_PAGE_RECORDS = 250

export type ExportReader = {
  /** As the export began. */
  readonly reader: Administrator
  /** Recognizes the same credential anew. */
  readonly recognize: () => Promise<OrRefusal<Administrator>>
}

/** Reads the next page. The one without a next cursor is the last; do not ask after it, nor after a refusal. */
type NextPage<R> = () => Promise<OrRefusal<ListPage<R>>>

type Listing<F, R> = {
  readonly filters: F
  readonly list: (reader: Administrator, request: ListRequest<F>) => Promise<OrRefusal<ListPage<R>>>
}

/** An API key may have been revoked since; a JWT cannot be, and its expiry says until when an export may begin. */
const recognizeAgain = async ({ reader, recognize }: ExportReader): Promise<OrRefusal<Administrator>> =>
  reader.kind === 'api_key' ? recognize() : reader

/**
 * Pages by keyset: between two of them nothing is held, no snapshot and no lock. Whatever stood in the list throughout
 * comes exactly once, since its place there does not change.
 */
export const exportPages = <F, R>(caller: ExportReader, { filters, list }: Listing<F, R>): NextPage<R> => {
  let cursor: string | null = null
  return async () => {
    const reader = cursor === null ? caller.reader : await recognizeAgain(caller)
    if (isRefused(reader)) return reader
    const page = await list(reader, { filters, limit: EXPORT_PAGE_RECORDS, cursor })
    if (!isRefused(page)) cursor = page.nextCursor
    return page
  }
}
