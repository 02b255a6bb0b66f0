// Pages of both lists at any depth: each filter, and cursors in the middle and at the end, without reading the pages before.
import { formatTime } from '../../api/values/time.ts'
import { makeTokenId } from '../../server/src/domain/ledger/claims.ts'
import { type Answer, type Asker, getRequest } from './connection.ts'
import { UnexpectedAnswer } from './load.ts'
import { type FilledStore, type Span, YOUNGEST_AT_END_MS } from '../../testkit/stores/fill-store.ts'
import type { MintmarkServer } from './servers/mintmark-server.ts'

type Depth = 'first' | 'middle' | 'last'

export type PageRequest = { readonly name: string; readonly depth: Depth; readonly request: string }

type Filter = {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
  /** The times between which the matching rows stand in the list. */
  readonly span: Span
  /** How densely they stand, beside the rows of the whole list at its old end. */
  readonly density: number
}

type List = {
  readonly path: '/api/v1/tokens' | '/api/v1/tokens/history'
  readonly rowsPerMs: number
  readonly filters: readonly Filter[]
}

/** Rows that a last page still finds: fewer than the 100 of a page. */
const LAST_ROWS = 60
const DAY_MS = 86_400_000
const NO_BYTES = new Uint8Array(10)

const middleOf = ({ oldest, newest }: Span): number => Math.floor((oldest + newest) / 2)

const lengthOf = ({ oldest, newest }: Span): number => newest - oldest

const ofAgent = (filled: FilledStore, span: Span): readonly Filter[] => [
  { name: 'agent_id', query: { agent_id: filled.agentId }, span, density: 0.05 },
  { name: 'client_id', query: { client_id: filled.clientId }, span, density: 0.05 },
  { name: 'scope', query: { scope: 'db:read' }, span, density: 0.5 },
]

const liveFilters = (filled: FilledStore): readonly Filter[] => {
  const span = filled.live
  const middle = middleOf(span)
  const issued = formatTime(middle)
  return [
    { name: 'no filter', query: {}, span, density: 1 },
    ...ofAgent(filled, span),
    { name: 'issued_after', query: { issued_after: issued }, span: { ...span, oldest: middle }, density: 1 },
    { name: 'issued_before', query: { issued_before: issued }, span: { ...span, newest: middle }, density: 1 },
  ]
}

const endedFilters = (filled: FilledStore): readonly Filter[] => {
  const span = filled.ended
  const middle = middleOf(span)
  const time = formatTime(middle)
  const later = { ...span, oldest: middle }
  const reason = { termination_reason: 'manual_revocation' }
  return [
    { name: 'no filter', query: {}, span, density: 1 },
    ...ofAgent(filled, span),
    { name: 'termination_reason', query: reason, span, density: 0.25 },
    // As many rows as ended early, in a shorter time.
    {
      name: 'reason expired',
      query: { termination_reason: 'expired' },
      span: filled.expired,
      density: lengthOf(span) / lengthOf(filled.expired),
    },
    { name: 'agent_id and reason', query: { agent_id: filled.agentId, ...reason }, span, density: 0.0125 },
    {
      name: 'issued_after',
      query: { issued_after: time },
      span: { ...later, oldest: middle + YOUNGEST_AT_END_MS },
      density: 1,
    },
    // A token ends within a day of its issue.
    { name: 'issued_before', query: { issued_before: time }, span: { ...span, newest: middle + DAY_MS }, density: 1 },
    { name: 'ended_after', query: { ended_after: time }, span: later, density: 1 },
    { name: 'ended_before', query: { ended_before: time }, span: { ...span, newest: middle }, density: 1 },
  ]
}

const listsOf = (filled: FilledStore, rows: { readonly live: number; readonly ended: number }): readonly List[] => {
  return [
    { path: '/api/v1/tokens', rowsPerMs: rows.live / lengthOf(filled.live), filters: liveFilters(filled) },
    {
      path: '/api/v1/tokens/history',
      rowsPerMs: rows.ended / 2 / lengthOf(filled.ended),
      filters: endedFilters(filled),
    },
  ]
}

/** The cursor of a first page, moved: its last two parts are the position (domain/lists/page.ts), the rest its binding. */
const moveCursor = (cursor: string, path: List['path'], instant: number): string => {
  const [at, id] = [path === '/api/v1/tokens' ? 0 : instant, makeTokenId(instant, NO_BYTES)]
  return [...cursor.split('.').slice(0, -2), at, id].join('.')
}

type PageAnswer = { readonly records: number; readonly nextCursor: string | null }

export const readPageAnswer = (answer: Answer): PageAnswer => {
  if (answer.status !== 200) throw new UnexpectedAnswer('A list', answer)
  const { data, next_cursor } = JSON.parse(answer.body) as { data: unknown[]; next_cursor: string | null } // its contract
  return { records: data.length, nextCursor: next_cursor }
}

/** Requests for the first, a middle and the last page of both lists with each filter; each is tried once. */
export const makePageRequests = async (
  { apiKey }: Pick<MintmarkServer, 'apiKey'>,
  asker: Asker,
  { filled, rows }: { readonly filled: FilledStore; readonly rows: { readonly live: number; readonly ended: number } },
): Promise<readonly PageRequest[]> => {
  const made: PageRequest[] = []
  for (const { path, rowsPerMs, filters } of listsOf(filled, rows)) {
    for (const { name, query, span, density } of filters) {
      const requestFor = (extra: Readonly<Record<string, string>>): string =>
        getRequest(`${path}?${new URLSearchParams({ ...query, ...extra }).toString()}`, [`x-api-key: ${apiKey}`])
      const title = `${path === '/api/v1/tokens' ? 'tokens' : 'history'}, ${name}`
      const first = requestFor({})
      const { nextCursor } = readPageAnswer(await asker.ask(first))
      made.push({ name: title, depth: 'first', request: first })
      if (nextCursor === null) throw new Error(`${title}: everything fits into one page; fill the store with more.`)
      const end = Math.min(span.oldest + LAST_ROWS / (rowsPerMs * density), middleOf(span))
      for (const [depth, instant] of [
        ['middle', middleOf(span)],
        ['last', Math.floor(end)],
      ] as const) {
        const request = requestFor({ cursor: moveCursor(nextCursor, path, instant) })
        const page = readPageAnswer(await asker.ask(request))
        if (page.records === 0) throw new Error(`${title}: the ${depth} page is empty.`)
        if (depth === 'last' && page.nextCursor !== null) throw new Error(`${title}: the last page is not the last.`)
        made.push({ name: title, depth, request })
      }
    }
  }
  return made
}
