// API keys of resource servers and operators' tools.
import type { Permission } from '../../../../api/values/access.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly permissions: readonly Permission[]
  /** The key sees only tokens for one of these audiences; null: all. */
  readonly audiences: readonly string[] | null
  readonly createdAt: Milliseconds
  /** From then on it is refused; null: never. */
  readonly expiresAt: Milliseconds | null
  /** When it was last used, at most a minute late; null: never. */
  readonly lastUsedAt: Milliseconds | null
  readonly revokedAt: Milliseconds | null
  /** Set by a restore: it is refused until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
}
