// Lists API keys, a page at a time; their secrets are nowhere to be listed.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import type { Administrator } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { Ports } from '../../ports/ports.ts'
import { type KeysetRequest, type ListPage, readKeyset } from '../reading/read-page.ts'

/** One page of the API keys by id, the revoked and expired ones too. */
export const listApiKeys = (
  ports: Pick<Ports, 'apiKeys' | 'secrets'>,
  _caller: Administrator,
  request: KeysetRequest,
): Promise<OrRefusal<ListPage<ApiKey>>> =>
  readKeyset(ports, 'api_keys', { request, boundTo: [], read: (after, limit) => ports.apiKeys.list(after, limit) })
