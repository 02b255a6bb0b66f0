// What the lists that are paged by id do around the store: the cursor in, one record more than asked for, the cursor out.
import { formatKeysetCursor, type KeysetName, parseKeysetCursor } from '../../domain/lists/keyset.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { fingerprintOf, type ListPage } from './read-page.ts'

export type KeysetRequest = {
  readonly limit: number
  /** The cursor of the page before; null for the first page. */
  readonly cursor: string | null
}

type Reading<R> = {
  readonly request: KeysetRequest
  /** What the cursor is bound to beside its list. */
  readonly boundTo: readonly unknown[]
  /** At most `limit` after this id; a refusal where there is no such list. */
  readonly read: (after: string | null, limit: number) => Promise<OrRefusal<readonly R[]>>
}

export const readKeyset = async <R extends { readonly id: string }>(
  ports: Pick<Ports, 'secrets'>,
  list: KeysetName,
  { request, boundTo, read }: Reading<R>,
): Promise<OrRefusal<ListPage<R>>> => {
  const fingerprint = fingerprintOf(ports, JSON.stringify(boundTo))
  const after = request.cursor === null ? null : parseKeysetCursor(list, fingerprint, request.cursor)
  if (after === undefined) return refuse('invalid_request', 'cursor: not one of this list. Start again without it.')
  const found = await read(after, request.limit + 1)
  if ('refusal' in found) return found
  const records = found.slice(0, request.limit)
  const last = found.length > request.limit ? records.at(-1) : undefined
  return { records, nextCursor: last === undefined ? null : formatKeysetCursor(list, fingerprint, last.id) }
}
