// A credential as the command line shows it: everything but the secret.
import type { CountedCredential } from '../domain/credential.ts'
import { formatTime, formatTimeOrNull } from '../domain/time.ts'
import { printJson, printRecord } from './print.ts'

export const credentialRecord = (credential: CountedCredential) => ({
  credential_id: credential.id,
  agent_id: credential.agentId,
  name: credential.name,
  created_at: formatTime(credential.createdAt),
  expires_at: formatTimeOrNull(credential.expiresAt),
  last_used_at: formatTimeOrNull(credential.lastUsedAt),
  revoked_at: formatTimeOrNull(credential.revokedAt),
  live_tokens: { count: credential.liveTokens.count, exact: credential.liveTokens.isExact },
})

/** The same in cells: a count that is not exact ends with a plus. */
export const credentialCells = (credential: CountedCredential) => {
  const { count, isExact } = credential.liveTokens
  return { ...credentialRecord(credential), live_tokens: isExact ? String(count) : `${count}+` }
}

export const printCredential = (credential: CountedCredential, asJson: boolean): void =>
  asJson ? printJson(credentialRecord(credential)) : printRecord(credentialCells(credential))
