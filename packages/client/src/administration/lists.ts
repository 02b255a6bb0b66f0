// A list as its reader wants it: record after record, each page asked for when the one before has been read.
import { ApiUnavailable } from './api-errors.ts'

/** The records of a list. Each loop over it asks anew, and keeps one page at a time. */
export type List<Record, Page> = AsyncIterable<Record> & {
  /** The pages as the service answers them. One before the last may be short, even empty. */
  readonly pages: () => AsyncIterable<Page>
}

type AnyPage = { readonly data: readonly unknown[]; readonly next_cursor: string | null }

const wrong = (why: string): ApiUnavailable => new ApiUnavailable(`its answer is no page of a list: ${why}`)

const checkPage = (answer: unknown): AnyPage => {
  const { data, next_cursor: cursor } = answer as Readonly<Record<string, unknown>> // call answers an object
  if (!Array.isArray(data)) throw wrong('data is no array')
  if (cursor !== null && typeof cursor !== 'string') throw wrong('next_cursor is neither text nor null')
  return answer as AnyPage
}

/** `ask` answers the page at a cursor. */
export const makeList = (ask: (cursor: string | undefined) => Promise<unknown>): List<unknown, unknown> => {
  async function* pages() {
    let cursor: string | undefined
    // A list that goes round has no end: one cursor is kept, for twice as many pages each time, and none may be it (Brent's algorithm).
    let [kept, pagesKept] = [cursor, 1]
    for (let n = 1; ; n += 1) {
      const page = checkPage(await ask(cursor))
      yield page
      if (page.next_cursor === null) return
      cursor = page.next_cursor
      if (cursor === kept) throw wrong('its next_cursor is one of before')
      if (n === pagesKept) [kept, pagesKept] = [cursor, 2 * n]
    }
  }
  async function* records() {
    for await (const page of pages()) yield* page.data
  }
  return { pages, [Symbol.asyncIterator]: records }
}
