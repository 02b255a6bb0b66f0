// Reads a list to its end, page by page.
import { isRefused, type OrRefusal } from '../domain/refusal.ts'
import { PAGE_RECORDS_MAX } from '../domain/page.ts'
import type { KeysetRequest } from '../operations/read-keyset.ts'
import type { ListPage } from '../operations/read-page.ts'

export const listAll = async <R>(
  list: (request: KeysetRequest) => Promise<OrRefusal<ListPage<R>>>,
): Promise<OrRefusal<readonly R[]>> => {
  const records: R[] = []
  let cursor: string | null = null
  do {
    const page: OrRefusal<ListPage<R>> = await list({ limit: PAGE_RECORDS_MAX, cursor })
    if (isRefused(page)) return page
    records.push(...page.records)
    cursor = page.nextCursor
  } while (cursor !== null)
  return records
}
