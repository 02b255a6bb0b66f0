// A credential as the API and the command line show it: everything but the secret.
import { trustRecord } from './client-trust.ts'
import type { CountedCredential } from './credential.ts'
import { formatTime, formatTimeOrNull } from '../../../../api/values/time.ts'

export const credentialRecord = (credential: CountedCredential) => ({
  credential_id: credential.id,
  agent_id: credential.agentId,
  name: credential.name,
  ...trustRecord(credential.trust),
  created_at: formatTime(credential.createdAt),
  expires_at: formatTimeOrNull(credential.expiresAt),
  last_used_at: formatTimeOrNull(credential.lastUsedAt),
  revoked_at: formatTimeOrNull(credential.revokedAt),
  suspended_at: formatTimeOrNull(credential.suspendedAt),
  live_tokens: { count: credential.liveTokens.count, exact: credential.liveTokens.isExact },
})
