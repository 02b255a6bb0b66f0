// Credentials: the secrets of an agent and what it may present instead. Several may be live, so that one can replace another.
import type { ClientTrust } from './client-trust.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

/** Live credentials of one agent: each request of it is compared with all of them. */
export const CREDENTIALS_MAX = 10

/** How many there are, or, where not exact, how many there are at least. */
export type Count = { readonly count: number; readonly isExact: boolean }

export type AgentCredential = {
  readonly id: string
  readonly agentId: string
  readonly name: string
  /** Null: a secret. */
  readonly trust: ClientTrust | null
  readonly createdAt: Milliseconds
  /** Null: never. */
  readonly expiresAt: Milliseconds | null
  /** When it last got a token, at most a minute behind; null: never. */
  readonly lastUsedAt: Milliseconds | null
  readonly revokedAt: Milliseconds | null
  /** Since a restore: it gets no token until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
}

/** `liveTokens`: those that it got. */
export type CountedCredential = AgentCredential & { readonly liveTokens: Count }

/** One that is shorter is never kept under a fast hash: docs/decisions/0015-imported-secrets.md. */
export const IMPORTED_SECRET_CHARACTERS_MIN = 20
export const IMPORTED_SECRET_CHARACTERS_MAX = 1024

/** Whether it is long enough to be kept as ours are. */
export const isKeptFast = (secret: string): boolean => secret.length >= IMPORTED_SECRET_CHARACTERS_MIN
