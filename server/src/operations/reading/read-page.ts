// What every list does around the store: the reader's restriction, the cursor in, the cursor out.
import { type Administrator, audiencesOf } from '../../domain/caller.ts'
import {
  fingerprintText,
  formatCursor,
  type Page,
  type PageRequest,
  parseCursor,
  type PositionedList,
} from '../../domain/lists/page.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'

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

/** What a cursor is bound to, in short. */
export const fingerprintOf = ({ secrets }: Pick<Ports, 'secrets'>, bound: string): string =>
  secrets.hash(bound).slice(0, FINGERPRINT_CHARACTERS)

export const refuseCursor = (): ReturnType<typeof refuse> =>
  refuse('invalid_request', 'cursor: not one of this list with these filters. Start again without it.')

/** Reads one page; a cursor of another list, of other filters or of another restriction is refused. */
export const readPage = async <F extends object, R>(
  ports: Pick<Ports, 'secrets'>,
  list: PositionedList,
  { reader, request, read }: Reading<F, R>,
): Promise<OrRefusal<ListPage<R>>> => {
  const audiences = audiencesOf(reader)
  const bound = fingerprintText({ filters: request.filters, audiences })
  const fingerprint = fingerprintOf(ports, bound)
  const after = request.cursor === null ? null : parseCursor(list, fingerprint, request.cursor)
  if (after === undefined) return refuseCursor()
  const page = await read({ filters: request.filters, audiences, after, limit: request.limit })
  return { records: page.records, nextCursor: page.next === null ? null : formatCursor(list, fingerprint, page.next) }
}
