// Revokes an API key: from the acknowledgement on no process accepts it.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import { actBy, type Origin } from '../../domain/caller.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseNote } from '../check-note.ts'
import { refuseUnknownApiKey } from './show-api-key.ts'

/** The API key, revoked now or before. */
export const revokeApiKey = async (
  ports: Pick<Ports, 'apiKeys'>,
  origin: Origin,
  apiKeyId: string,
  note: string | null,
): Promise<OrRefusal<ApiKey>> => {
  const wrong = refuseNote(note)
  if (wrong !== undefined) return wrong
  const apiKey = isUuid(apiKeyId)
    ? await ports.apiKeys.revoke(apiKeyId, actBy(origin, 'api_key.revoke', note))
    : undefined
  return apiKey ?? refuseUnknownApiKey(apiKeyId)
}
