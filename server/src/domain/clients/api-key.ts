// API keys of resource servers and operators' tools.
import type { Permission } from '../../../../api/values/access.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'

export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly permissions: readonly Permission[]
  /** Only tokens for one of these audiences exist for this key; null: all do. */
  readonly audiences: readonly string[] | null
  readonly createdAt: Milliseconds
  /** From then on it is refused; null: never. */
  readonly expiresAt: Milliseconds | null
  /** When it was last taken, at most a minute behind; null: never. */
  readonly lastUsedAt: Milliseconds | null
  readonly revokedAt: Milliseconds | null
  /** Since a restore: it is refused until an operator accepts it. */
  readonly suspendedAt: Milliseconds | null
}
