// Revokes an API key: from the acknowledgement on no process accepts it.
import type { ApiKey } from '../domain/api-key.ts'
import { actorOf, type CliCaller } from '../domain/caller.ts'
import { type OrRefusal, refuse } from '../domain/refusal.ts'
import { isUuid } from '../domain/token-id.ts'
import type { Ports } from '../ports.ts'

/** The API key, revoked now or before. */
export const revokeApiKey = async (
  ports: Pick<Ports, 'apiKeys'>,
  caller: CliCaller,
  apiKeyId: string,
): Promise<OrRefusal<ApiKey>> => {
  const act = { kind: 'api_key.revoke', actor: actorOf(caller), note: null, requestId: null } as const
  const apiKey = isUuid(apiKeyId) ? await ports.apiKeys.revoke(apiKeyId, act) : undefined
  return apiKey ?? refuse('not_found', `No API key has the id ${apiKeyId}.`)
}
