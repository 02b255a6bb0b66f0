// Lists how often authentication was refused: by what was presented, client, address and minute, newest first.
import type { RefusalCount, RefusalFilters } from '../../domain/audit/attempt.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type ListRequest, readPage } from '../reading/read-page.ts'

/** One page of the counts that the filters ask for. */
export const listRefusals = (
  ports: Pick<Ports, 'audit' | 'secrets'>,
  reader: Administrator,
  request: ListRequest<RefusalFilters>,
): Promise<OrRefusal<ListPage<RefusalCount>>> =>
  readPage(ports, 'refusals', { reader, request, read: page => ports.audit.listRefusals(page) })
