// An API key as the command line shows it: everything but the key.
import type { ApiKey } from '../domain/api-key.ts'
import { formatTime, formatTimeOrNull } from '../domain/time.ts'

export const apiKeyRecord = (apiKey: ApiKey) => ({
  api_key_id: apiKey.id,
  name: apiKey.name,
  permissions: apiKey.permissions,
  audiences: apiKey.audiences,
  created_at: formatTime(apiKey.createdAt),
  expires_at: formatTimeOrNull(apiKey.expiresAt),
  last_used_at: formatTimeOrNull(apiKey.lastUsedAt),
  revoked_at: formatTimeOrNull(apiKey.revokedAt),
})
