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
    for (;;) {
      const page = checkPage(await ask(cursor))
      yield page
      if (page.next_cursor === null) return
      // Such a list would have no end.
      if (page.next_cursor === cursor) throw wrong('its next_cursor is its own')
      cursor = page.next_cursor
    }
  }
  async function* records() {
    for await (const page of pages()) yield* page.data
  }
  return { pages, [Symbol.asyncIterator]: records }
}
