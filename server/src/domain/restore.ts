// The effects of a restore from a backup: numbers continue above all lost ones, and restored records wait for an operator.
import type { Milliseconds } from '../../../api/values/time.ts'

/** The content of a backup, as of its time. Agents, credentials, API keys and issuers: those that were usable then. */
export type BackupContent = {
  /** It contains every act that was acknowledged before. */
  readonly madeAt: Milliseconds
  /** The key-encryption keys of its content; they are not in it themselves. */
  readonly keyEncryptionKeyIds: readonly string[]
  /** Tokens in it that were not ended early, including expired ones. */
  readonly tokens: number
  readonly ended: number
  readonly auditEntries: number
} & Suspended

/** How many of each are suspended, or would be. */
export type Suspended = {
  readonly agents: number
  readonly credentials: number
  readonly apiKeys: number
  readonly issuers: number
}

export const NONE_SUSPENDED: Suspended = { agents: 0, credentials: 0, apiKeys: 0, issuers: 0 }

export const isAnySuspended = ({ agents, credentials, apiKeys, issuers }: Suspended): boolean =>
  agents + credentials + apiKeys + issuers > 0

/** The text for any caller; {@link ACCEPT_REMEDY} is what an operator must do. */
export const SUSPENDED_BRIEF =
  'A restore suspended agents, credentials, API keys or trusted issuers: requests that use them are refused until `mintmark restore accept`.'
export const ACCEPT_REMEDY =
  'End again what was disabled, revoked or narrowed after the backup, then run `mintmark restore accept` (docs/run/backup-and-restore.md).'

/** The last restore of a store, and what is still suspended. `madeAt` is null if no backup of ours was restored. */
export type RestoreState = {
  readonly restoredAt: Milliseconds
  readonly madeAt: Milliseconds | null
  readonly suspended: Suspended
}

/**
 * What an operator accepts: everything suspended, an agent with its credentials, one credential with its agent, an API key, or a
 * trusted issuer by its alias.
 */
export type Acceptance =
  | { readonly kind: 'all' }
  | { readonly kind: 'agent' | 'credential' | 'api_key' | 'issuer'; readonly id: string }

const ACTS_A_MS = 1000
const ACTS_AT_LEAST = 2 ** 32

/**
 * The number from which a restored store continues. It must exceed every number that the lost store, or an earlier restore of
 * the same backup, can have assigned. No store assigns a thousand numbers in a millisecond, so the time in microseconds
 * exceeds them all; in case a clock is or was wrong, a large gap is added.
 */
export const seqAfterRestore = (seq: number, wall: Milliseconds): number =>
  Math.max(seq + ACTS_AT_LEAST, ACTS_A_MS * wall)
