// What every list does around the store: the reader's restriction, the cursor in, the cursor out. A cursor of another list, of
// other filters or of another restriction is refused.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import { kindsNamedTo } from '../../domain/lists/names.ts'
import {
  fingerprintText,
  formatCursor,
  formatKeyCursor,
  type KeyedList,
  type KeyedPage,
  type KeyedRequest,
  type Page,
  type PageRequest,
  parseCursor,
  parseKeyCursor,
  type PositionedList,
} from '../../domain/lists/page.ts'
import { isRefused, type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'

export type PagingRequest = {
  readonly limit: number
  /** The cursor of the page before; null for the first page. */
  readonly cursor: string | null
}

export type ListRequest<F> = PagingRequest & { readonly filters: F }

export type ListPage<R> = { readonly records: readonly R[]; readonly nextCursor: string | null }

type Reading<Place, R> = {
  readonly cursor: string | null
  /** What the cursor is bound to. */
  readonly bound: string
  readonly parse: (fingerprint: string, cursor: string) => Place | undefined
  readonly format: (fingerprint: string, place: Place) => string
  /** `next` is where the page ended; null where nothing follows. */
  readonly read: (
    after: Place | null,
  ) => Promise<OrRefusal<{ readonly records: readonly R[]; readonly next: Place | null }>>
}

const FINGERPRINT_CHARACTERS = 32

const readFrom = async <Place, R>(
  { secrets }: Pick<Ports, 'secrets'>,
  { cursor, bound, parse, format, read }: Reading<Place, R>,
): Promise<OrRefusal<ListPage<R>>> => {
  const fingerprint = secrets.hash(bound).slice(0, FINGERPRINT_CHARACTERS)
  const after = cursor === null ? null : parse(fingerprint, cursor)
  if (after === undefined) {
    return refuse('invalid_request', 'cursor: not one of this list with these filters. Start again without it.')
  }
  const page = await read(after)
  if (isRefused(page)) return page
  return { records: page.records, nextCursor: page.next === null ? null : format(fingerprint, page.next) }
}

const inPositions = (list: PositionedList) => ({
  parse: (fingerprint: string, cursor: string) => parseCursor(list, fingerprint, cursor),
  format: (fingerprint: string, position: Parameters<typeof formatCursor>[2]) =>
    formatCursor(list, fingerprint, position),
})

const inKeys = (list: KeyedList) => ({
  parse: (fingerprint: string, cursor: string) => parseKeyCursor(list, fingerprint, cursor),
  format: (fingerprint: string, key: string) => formatKeyCursor(list, fingerprint, key),
})

type Positioned<F, R> = {
  readonly reader: Administrator
  readonly request: ListRequest<F>
  readonly read: (page: PageRequest<F>) => Promise<OrRefusal<Page<R>>>
}

/** One page of a list in the order of time. */
export const readPage = <F extends object, R>(
  ports: Pick<Ports, 'secrets'>,
  list: PositionedList,
  { reader, request: { filters, limit, cursor }, read }: Positioned<F, R>,
): Promise<OrRefusal<ListPage<R>>> => {
  const audiences = audiencesOf(reader)
  return readFrom(ports, {
    ...inPositions(list),
    cursor,
    bound: fingerprintText({ filters, audiences }),
    read: after => read({ filters, audiences, after, limit, named: kindsNamedTo(reader) }),
  })
}

/** One page of a list in the order of a key, such as a name. */
export const readKeyedPage = <F extends object, R>(
  ports: Pick<Ports, 'secrets'>,
  list: KeyedList,
  { filters, limit, cursor }: ListRequest<F>,
  read: (page: KeyedRequest<F>) => Promise<OrRefusal<KeyedPage<R>>>,
): Promise<OrRefusal<ListPage<R>>> =>
  readFrom(ports, {
    ...inKeys(list),
    cursor,
    bound: fingerprintText({ filters, audiences: null }),
    read: after => read({ filters, after, limit }),
  })

type ById<R> = {
  readonly request: PagingRequest
  /** What the cursor is bound to beside its list. */
  readonly boundTo: readonly unknown[]
  /** At most `limit` after this id; a refusal where there is no such list. */
  readonly read: (after: string | null, limit: number) => Promise<OrRefusal<readonly R[]>>
}

/** One page of a list in the order of ids. */
export const readPageById = <R extends { readonly id: string }>(
  ports: Pick<Ports, 'secrets'>,
  list: KeyedList,
  { request: { limit, cursor }, boundTo, read }: ById<R>,
): Promise<OrRefusal<ListPage<R>>> =>
  readFrom(ports, {
    ...inKeys(list),
    cursor,
    bound: JSON.stringify(boundTo),
    read: async after => {
      const found = await read(after, limit + 1)
      if (isRefused(found)) return found
      const records = found.slice(0, limit)
      return { records, next: found.length > limit ? (records.at(-1)?.id ?? null) : null }
    },
  })
