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
