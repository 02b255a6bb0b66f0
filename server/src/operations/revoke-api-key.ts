// Revokes an API key: from the acknowledgement on no process accepts it.
import type { ApiKey } from '../domain/api-key.ts'
import { actBy, type Origin } from '../domain/caller.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import { isUuid } from '../domain/token-id.ts'
import type { Ports } from '../ports.ts'

/** The API key, revoked now or before. */
export const revokeApiKey = async (
  ports: Pick<Ports, 'apiKeys'>,
  origin: Origin,
  apiKeyId: string,
): Promise<OrRefusal<ApiKey>> => {
  const apiKey = isUuid(apiKeyId) ? await ports.apiKeys.revoke(apiKeyId, actBy(origin, 'api_key.revoke')) : undefined
  return apiKey ?? refuse('not_found', `No API key has the id ${apiKeyId}.`)
}
