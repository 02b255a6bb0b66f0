// Shows one API key: everything but the key.
import type { ApiKey } from '../../domain/clients/api-key.ts'
import type { Administrator } from '../../domain/caller.ts'
import { type OrRefusal, refuse } from '../../domain/refusal.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import type { Ports } from '../../ports/ports.ts'

export const refuseUnknownApiKey = (apiKeyId: string): ReturnType<typeof refuse> =>
  refuse('not_found', `No API key has the id ${apiKeyId}.`)

export const showApiKey = async (
  ports: Pick<Ports, 'apiKeys'>,
  _caller: Administrator,
  apiKeyId: string,
): Promise<OrRefusal<ApiKey>> =>
  (isUuid(apiKeyId) ? await ports.apiKeys.show(apiKeyId) : undefined) ?? refuseUnknownApiKey(apiKeyId)
