// Scans a list from its first page to its last, by the position that each page gives, and checks what was read.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type {
  EndedTokenRecord,
  HistoryFilters,
  Page,
  PageRequest,
  Position,
  TokenFilters,
  TokenRecord,
} from '../../../src/domain/lists/page.ts'
import type { TokenLedger } from '../../../src/ports/ports.ts'

export type Scan<F> = {
  readonly filters: F
  readonly audiences: readonly string[] | null
  /** Where to go on; null from the top. */
  readonly after?: Position | null
  /** How long the next page may be. */
  readonly limit: () => number
  /** What happens between two pages. */
  readonly between?: () => Promise<void>
}

const readPages = async <F, R>(
  list: (request: PageRequest<F>) => Promise<Page<R>>,
  { filters, audiences, after = null, limit: nextLimit, between }: Scan<F>,
): Promise<readonly R[]> => {
  const records: R[] = []
  let position: Position | null = after
  do {
    const limit = nextLimit()
    const page: Page<R> = await list({ filters, audiences, after: position, limit })
    assert.ok(page.records.length <= limit, 'a page holds at most its limit')
    assert.notDeepEqual(page.next, position ?? 'the top', 'a page that has a successor gets on')
    records.push(...page.records)
    position = page.next
    if (position !== null) await between?.()
  } while (position !== null)
  return records
}

export const scanLive = (ledger: TokenLedger, scan: Scan<TokenFilters>): Promise<readonly TokenRecord[]> =>
  readPages(request => ledger.listLive(request), scan)

export const scanEnded = (ledger: TokenLedger, scan: Scan<HistoryFilters>): Promise<readonly EndedTokenRecord[]> =>
  readPages(request => ledger.listEnded(request), scan)

/** The same rows in the same order. Names the first that differs: a diff of thousands of rows takes minutes. */
export const assertSameRows = (actual: readonly unknown[], expected: readonly unknown[], asked: object = {}): void => {
  const n = expected.findIndex((row, at) => !isDeepStrictEqual(row, actual[at]))
  const where = `${actual.length} rows for ${expected.length}; asked for ${JSON.stringify(asked)}`
  if (n >= 0) assert.deepEqual(actual[n], expected[n], `row ${n} differs, ${where}`)
  assert.equal(actual.length, expected.length, where)
}
