// What the requests of a list cost: its first page, its count, its hundredth page, and all until something is shown.
import { median, type Row } from '../figures.ts'
import type { ListQuestion } from './list-questions.ts'

/** Answers the API's JSON at a path. */
export type Ask = (path: string) => Promise<unknown>

type Page = { readonly data: readonly unknown[]; readonly next_cursor: string | null }

const TIMES = 3

const timed = async <T>(work: () => Promise<T>): Promise<readonly [ms: number, T]> => {
  const from = performance.now()
  const answer = await work()
  return [performance.now() - from, answer]
}

export const LIST_TITLES = [
  'list',
  'first page ms',
  'count ms',
  'pages until shown',
  'shown after ms',
  'pages',
  'last page ms',
  'slowest ms',
] as const

const medianOf = async (ask: Ask, path: string): Promise<number> => {
  const times: number[] = []
  for (let n = 0; n < TIMES; n += 1) times.push((await timed(() => ask(path)))[0])
  return median(times)
}

/** Reads down to page `pages`, and on while nothing was shown. */
export const askList = async (ask: Ask, { title, path, countPath }: ListQuestion, pages: number): Promise<Row> => {
  const times: number[] = []
  let shown: number | undefined
  for (
    let cursor: string | null = '';
    cursor !== null && times.length < 400 && (times.length < pages || shown === undefined);
  ) {
    const on: string = cursor === '' ? path : `${path}&cursor=${encodeURIComponent(cursor)}`
    const [ms, page] = await timed(async () => (await ask(on)) as Page) // the contract of a list
    times.push(ms)
    if (page.data.length > 0 || page.next_cursor === null) shown ??= times.length
    cursor = page.next_cursor
  }
  const until = times.slice(0, shown).reduce((sum, ms) => sum + ms, 0)
  const count = countPath === undefined ? Number.NaN : await medianOf(ask, countPath)
  const first = await medianOf(ask, path)
  return [title, first, count, shown ?? 0, until, times.length, times.at(-1) ?? Number.NaN, Math.max(...times)]
}
