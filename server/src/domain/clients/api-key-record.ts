// An API key as the API and the command line show it: everything but the key.
import type { ApiKey } from './api-key.ts'
import { formatTime, formatTimeOrNull } from '../../../../api/values/time.ts'

export const apiKeyRecord = (apiKey: ApiKey) => ({
  api_key_id: apiKey.id,
  name: apiKey.name,
  permissions: [...apiKey.permissions],
  audiences: apiKey.audiences === null ? null : [...apiKey.audiences],
  created_at: formatTime(apiKey.createdAt),
  expires_at: formatTimeOrNull(apiKey.expiresAt),
  last_used_at: formatTimeOrNull(apiKey.lastUsedAt),
  revoked_at: formatTimeOrNull(apiKey.revokedAt),
  suspended_at: formatTimeOrNull(apiKey.suspendedAt),
})
