// Lists API keys, a page at a time; their secrets are nowhere to be listed.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type ListPage, type PagingRequest, readPageById } from '../reading/read-page.ts'

/** One page of the API keys by id, the revoked and expired ones too. */
export const listApiKeys = (
  ports: Pick<Ports, 'apiKeys' | 'secrets'>,
  _caller: Administrator,
  request: PagingRequest,
): Promise<OrRefusal<ListPage<ApiKey>>> =>
  readPageById(ports, 'api_keys', { request, boundTo: [], read: (after, limit) => ports.apiKeys.list(after, limit) })
