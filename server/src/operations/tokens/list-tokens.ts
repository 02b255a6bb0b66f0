// Lists tokens: the live ones, newest first, in pages that stay stable while tokens come and go; and those that ended, the
// expired among them, by the time of their end, latest first.
import type { Administrator } from '../../domain/caller.ts'
import type { EndedTokenRecord, HistoryFilters, TokenFilters, TokenRecord } from '../../domain/lists/page.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

type ListPorts = Pick<Ports, 'ledger' | 'secrets'>

/** One page of the tokens that are active now and that the reader may see. */
export const listTokens = (
  ports: ListPorts,
  reader: Administrator,
  request: ListRequest<TokenFilters>,
): Promise<OrRefusal<ListPage<TokenRecord>>> =>
  readPage(ports, 'tokens', { reader, request, read: page => ports.ledger.listLive(page) })

/** One page of the tokens that have ended and that the reader may see. */
export const listHistory = (
  ports: ListPorts,
  reader: Administrator,
  request: ListRequest<HistoryFilters>,
): Promise<OrRefusal<ListPage<EndedTokenRecord>>> =>
  readPage(ports, 'history', { reader, request, read: page => ports.ledger.listEnded(page) })
