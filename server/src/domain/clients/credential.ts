// Credentials: the secrets of an agent and what it may present instead. Several may be live, so that one can replace another.
import { type ClientTrust, trustRecord } from './client-trust.ts'
import { formatTime, formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'

/** Live credentials of one agent: each of its requests is compared with all of them. */
export const CREDENTIALS_MAX = 10

/** A count, or a lower bound if it is not exact. */
export type Count = { readonly count: number; readonly isExact: boolean }

export type AgentCredential = {
  readonly id: string
  readonly agentId: string
  readonly name: string
  /** Null for a credential with a secret. */
  readonly trust: ClientTrust | null
  readonly createdAt: Milliseconds
  /** Null if it never expires. */
  readonly expiresAt: Milliseconds | null
  /** When it last obtained a token, at most a minute late; null: never. */
  readonly lastUsedAt: Milliseconds | null
  readonly revokedAt: Milliseconds | null
  /** The time of the restore that suspended it: it obtains no token until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
  /** The set of files that declares it: `apply/NAME`; null: none. */
  readonly managedBy: string | null
}

/** `liveTokens`: those issued with it. */
export type CountedCredential = AgentCredential & { readonly liveTokens: Count }

/** A shorter imported secret is never stored under a fast hash: docs/decisions/archive/0015-imported-secrets.md. */
export const IMPORTED_SECRET_CHARACTERS_MIN = 20
export const IMPORTED_SECRET_CHARACTERS_MAX = 1024

/** Whether an imported secret is long enough for a fast hash. */
export const isKeptFast = (secret: string): boolean => secret.length >= IMPORTED_SECRET_CHARACTERS_MIN

/** The JSON of a credential without its secret, over HTTP and on the command line. */
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
  managed_by: credential.managedBy,
  live_tokens: { count: credential.liveTokens.count, exact: credential.liveTokens.isExact },
})
