// Lists API keys, a page at a time; their secrets are nowhere to be listed.
import type { ApiKey } from '../domain/api-key.ts'
import type { Administrator } from '../domain/caller.ts'
import type { Ports } from '../ports.ts'

/** API keys in one page. */
export const API_KEYS_PAGE = 100

/** The API keys that follow the one with the id `after`, at most {@link API_KEYS_PAGE}; an incomplete page is the last. */
export const listApiKeys = (
  ports: Pick<Ports, 'apiKeys'>,
  _caller: Administrator,
  after: string | null,
): Promise<readonly ApiKey[]> => ports.apiKeys.list(after, API_KEYS_PAGE)
