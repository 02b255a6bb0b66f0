// Lists the live tokens, newest first, in pages that stay stable while tokens come and go.
import type { ListName, Page, TokenFilters, TokenRecord } from '../../domain/lists/page.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

const LIST: ListName = 'tokens'

/** One page of the tokens that are active now and that the reader may see. */
export const listTokens = (
  ports: Pick<Ports, 'ledger' | 'secrets'>,
  reader: Administrator,
  request: ListRequest<TokenFilters>,
): Promise<OrRefusal<ListPage<TokenRecord>>> =>
  readPage(ports, LIST, { reader, request, read: (page): Promise<Page<TokenRecord>> => ports.ledger.listLive(page) })
