// Reads one page of a list, as a table asks for it.
import type { List } from '../../../packages/client/src/index.ts'
import type { Page } from './page.ts'

type Ask<Row> = (cursor: string | undefined, signal: AbortSignal) => List<Row, Page<Row>>

export const readPage =
  <Row>(ask: Ask<Row>) =>
  async (cursor: string | undefined, signal: AbortSignal): Promise<Page<Row>> => {
    for await (const page of ask(cursor, signal).pages()) return page
    throw new Error('A list has at least one page.')
  }

/** The page at a cursor, or the next one that has a row: that of what is rare may be empty, and the list goes on. */
export const pageWithRows = async <Row>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<Row>> => {
  let page = await read(cursor, signal)
  while (page.data.length === 0 && page.next_cursor !== null) page = await read(page.next_cursor, signal)
  return page
}
