// What a list in the order of a key does around the store: the cursor in, the cursor out.
import {
  fingerprintText,
  formatKeyCursor,
  type KeyedPage,
  type KeyedRequest,
  type ListName,
  parseKeyCursor,
} from '../../domain/lists/page.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { fingerprintOf, type ListPage, type ListRequest, refuseCursor } from './read-page.ts'

/** Reads one page; a cursor of another list or of other filters is refused. */
export const readKeyedPage = async <F extends object, R>(
  ports: Pick<Ports, 'secrets'>,
  list: ListName,
  { filters, limit, cursor }: ListRequest<F>,
  read: (page: KeyedRequest<F>) => Promise<KeyedPage<R>>,
): Promise<OrRefusal<ListPage<R>>> => {
  const bound = fingerprintText({ filters, audiences: null })
  const fingerprint = fingerprintOf(ports, bound)
  const after = cursor === null ? null : parseKeyCursor(list, fingerprint, cursor)
  if (after === undefined) return refuseCursor()
  const { records, next } = await read({ filters, after, limit })
  return { records, nextCursor: next === null ? null : formatKeyCursor(list, fingerprint, next) }
}
