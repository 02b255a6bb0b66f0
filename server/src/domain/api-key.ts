// API keys of resource servers and operators' tools.
import type { Permission } from './caller.ts'
import type { Milliseconds } from './time.ts'

export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly permissions: readonly Permission[]
  /** Only tokens for one of these audiences exist for this key; null: all do. */
  readonly audiences: readonly string[] | null
  readonly createdAt: Milliseconds
  readonly revokedAt: Milliseconds | null
}
