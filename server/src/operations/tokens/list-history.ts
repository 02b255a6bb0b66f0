// Lists the tokens that ended, by the time of their end, newest first: those that merely expired too.
import type { EndedTokenRecord, HistoryFilters, ListName, Page } from '../../domain/lists/page.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

const LIST: ListName = 'history'

/** One page of the tokens that have ended and that the reader may see. */
export const listHistory = (
  ports: Pick<Ports, 'ledger' | 'secrets'>,
  reader: Administrator,
  request: ListRequest<HistoryFilters>,
): Promise<OrRefusal<ListPage<EndedTokenRecord>>> =>
  readPage(ports, LIST, {
    reader,
    request,
    read: (page): Promise<Page<EndedTokenRecord>> => ports.ledger.listEnded(page),
  })
