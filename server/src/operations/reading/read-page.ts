// The one reader of lists: what every list does around the store.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import {
  fingerprintText,
  formatCursor,
  formatKeyCursor,
  type KeyedPage,
  type KeyedRequest,
  type ListName,
  type Page,
  type PageRequest,
  parseCursor,
  parseKeyCursor,
  type Position,
  type PositionedList,
} from '../../domain/lists/page.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { formatKeysetCursor, type KeysetName, parseKeysetCursor } from '../../domain/lists/keyset.ts'

export type ListRequest<F> = {
  readonly filters: F
  readonly limit: number
  /** The cursor of the page before; null for the first page. */
  readonly cursor: string | null
}

export type ListPage<R> = { readonly records: readonly R[]; readonly nextCursor: string | null }

type Reading<F, R> = {
  readonly reader: Administrator
  readonly request: ListRequest<F>
  readonly read: (page: PageRequest<F>) => Promise<Page<R>>
}

const FINGERPRINT_CHARACTERS = 32

type Cursors<At> = {
  readonly parse: (fingerprint: string, cursor: string) => At | undefined
  readonly format: (fingerprint: string, next: At) => string
  readonly refusal: string
}

type Pages<At, R> = {
  /** What a cursor is bound to, beside its list. */
  readonly bound: string
  readonly cursor: string | null
  readonly read: (after: At | null) => Promise<OrRefusal<{ readonly records: readonly R[]; readonly next: At | null }>>
}

/** Reads one page of any list: the cursor in, the cursor out. A cursor that is bound to something else is refused. */
const readList = async <At, R>(
  { secrets }: Pick<Ports, 'secrets'>,
  { parse, format, refusal }: Cursors<At>,
  { bound, cursor, read }: Pages<At, R>,
): Promise<OrRefusal<ListPage<R>>> => {
  const fingerprint = secrets.hash(bound).slice(0, FINGERPRINT_CHARACTERS)
  const after = cursor === null ? null : parse(fingerprint, cursor)
  if (after === undefined) return refuse('invalid_request', refusal)
  const page = await read(after)
  if ('refusal' in page) return page
  return { records: page.records, nextCursor: page.next === null ? null : format(fingerprint, page.next) }
}

const OTHER_FILTERS = 'cursor: not one of this list with these filters. Start again without it.'
const OTHER_LIST = 'cursor: not one of this list. Start again without it.'

/** A list by time: its cursor is bound to the filters and to the reader's restriction to audiences. */
export const readPage = <F extends object, R>(
  ports: Pick<Ports, 'secrets'>,
  list: PositionedList,
  { reader, request: { filters, limit, cursor }, read }: Reading<F, R>,
): Promise<OrRefusal<ListPage<R>>> => {
  const audiences = audiencesOf(reader)
  const cursors: Cursors<Position> = {
    parse: (fingerprint, text) => parseCursor(list, fingerprint, text),
    format: (fingerprint, next) => formatCursor(list, fingerprint, next),
    refusal: OTHER_FILTERS,
  }
  const bound = fingerprintText({ filters, audiences })
  return readList(ports, cursors, { bound, cursor, read: after => read({ filters, audiences, after, limit }) })
}

/** A list in the order of a key: its cursor is bound to the filters. */
export const readKeyedPage = <F extends object, R>(
  ports: Pick<Ports, 'secrets'>,
  list: ListName,
  { filters, limit, cursor }: ListRequest<F>,
  read: (page: KeyedRequest<F>) => Promise<KeyedPage<R>>,
): Promise<OrRefusal<ListPage<R>>> => {
  const cursors: Cursors<string> = {
    parse: (fingerprint, text) => parseKeyCursor(list, fingerprint, text),
    format: (fingerprint, next) => formatKeyCursor(list, fingerprint, next),
    refusal: OTHER_FILTERS,
  }
  const bound = fingerprintText({ filters, audiences: null })
  return readList(ports, cursors, { bound, cursor, read: after => read({ filters, after, limit }) })
}

export type KeysetRequest = Omit<ListRequest<never>, 'filters'>

type KeysetReading<R> = {
  readonly request: KeysetRequest
  /** What the cursor is bound to beside its list. */
  readonly boundTo: readonly unknown[]
  /** At most `limit` after this id; a refusal where there is no such list. */
  readonly read: (after: string | null, limit: number) => Promise<OrRefusal<readonly R[]>>
}

/** A list by id: one record more than asked for says whether there is a next page. */
export const readKeyset = <R extends { readonly id: string }>(
  ports: Pick<Ports, 'secrets'>,
  list: KeysetName,
  { request: { limit, cursor }, boundTo, read }: KeysetReading<R>,
): Promise<OrRefusal<ListPage<R>>> => {
  const cursors: Cursors<string> = {
    parse: (fingerprint, text) => parseKeysetCursor(list, fingerprint, text),
    format: (fingerprint, next) => formatKeysetCursor(list, fingerprint, next),
    refusal: OTHER_LIST,
  }
  const readOne = async (after: string | null) => {
    const found = await read(after, limit + 1)
    if ('refusal' in found) return found
    const records = found.slice(0, limit)
    return { records, next: found.length > limit ? (records.at(-1)?.id ?? null) : null }
  }
  return readList(ports, cursors, { bound: JSON.stringify(boundTo), cursor, read: readOne })
}
