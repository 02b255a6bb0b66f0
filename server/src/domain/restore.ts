// What a restore from a backup means: numbers go on above all that were lost, and what came back waits for an operator.
import type { Milliseconds } from '../../../api/values/time.ts'

/** What a backup holds, as of its time. Agents, credentials and API keys: those that could be used then. */
export type BackupContent = {
  /** Every act that was acknowledged before is in it. */
  readonly madeAt: Milliseconds
  /** The keys that seal what is in it; they are not in it themselves. */
  readonly keyEncryptionKeyIds: readonly string[]
  /** Tokens whose records are in it and which were not ended early, those that have expired included. */
  readonly tokens: number
  readonly ended: number
  readonly auditEntries: number
} & Suspended

/** How many of each are suspended, or would be. */
export type Suspended = { readonly agents: number; readonly credentials: number; readonly apiKeys: number }

export const isAnySuspended = ({ agents, credentials, apiKeys }: Suspended): boolean =>
  agents + credentials + apiKeys > 0

/** The last restore of a store, and what still waits since. `madeAt` is null where no backup of ours was restored. */
export type RestoreState = {
  readonly restoredAt: Milliseconds
  readonly madeAt: Milliseconds | null
  readonly suspended: Suspended
}

/** What an operator accepts as it is: all that waits, an agent with its credentials, one credential with its agent, or an API key. */
export type Acceptance =
  | { readonly kind: 'all' }
  | { readonly kind: 'agent' | 'credential' | 'api_key'; readonly id: string }

const ACTS_A_MS = 1000
const ACTS_AT_LEAST = 2 ** 32

/**
 * The number from which a restored store goes on, above every number that the store which was lost can have given, and
 * one that was restored from the same backup before: no store takes a thousand numbers in a millisecond, so that the
 * clock is ahead of them all; and where it is wrong, or a store of a wrong one comes back, so many are left out.
 */
export const seqAfterRestore = (seq: number, wall: Milliseconds): number =>
  Math.max(seq + ACTS_AT_LEAST, ACTS_A_MS * wall)
