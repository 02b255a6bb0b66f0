// Lists where tokens are used, and which of them after their end, as far as the caller may know.
import type { Administrator } from '../domain/caller.ts'
import {
  type LateUse,
  type LateUseFilters,
  onlyThrough,
  type TokenUse,
  type TokenUseFilters,
} from '../domain/clients/token-use.ts'
import type { OrRefusal } from '../domain/refusal.ts'
import type { Ports } from '../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from './reading/read-page.ts'

type ReadingPorts = Pick<Ports, 'usage' | 'secrets'>

/** One page of where tokens were used, by agent, API key and minute. */
export const listUses = (
  ports: ReadingPorts,
  reader: Administrator,
  { filters, ...page }: ListRequest<Omit<TokenUseFilters, 'onlyThrough'>>,
): Promise<OrRefusal<ListPage<TokenUse>>> => {
  const request = { ...page, filters: { ...filters, onlyThrough: onlyThrough(reader) } }
  return readPage(ports, 'uses', { reader, request, read: one => ports.usage.listUses(one) })
}

/** One page of the tokens that were introspected after their end. */
export const listLateUses = (
  ports: ReadingPorts,
  reader: Administrator,
  { filters, ...page }: ListRequest<Omit<LateUseFilters, 'onlyThrough'>>,
): Promise<OrRefusal<ListPage<LateUse>>> => {
  const request = { ...page, filters: { ...filters, onlyThrough: onlyThrough(reader) } }
  return readPage(ports, 'late_uses', { reader, request, read: one => ports.usage.listLateUses(one) })
}
