// API keys of resource servers and operators' tools.
import type { Permission } from '../../../../api/values/access.ts'
import { formatTime, formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'

export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly permissions: readonly Permission[]
  /** The key sees only tokens for one of these audiences; null: all. */
  readonly audiences: readonly string[] | null
  readonly createdAt: Milliseconds
  /** The time from which it is refused; null: never. */
  readonly expiresAt: Milliseconds | null
  /** When it was last used, at most a minute late; null: never. */
  readonly lastUsedAt: Milliseconds | null
  readonly revokedAt: Milliseconds | null
  /** The time of the restore that suspended it: it is refused until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
}

/** The JSON of an API key without the key itself, over HTTP and on the command line. */
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
