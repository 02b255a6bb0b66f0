// What every store is opened with, whichever it is.
import type { KeyPolicy } from '../domain/keys/key-life.ts'
import type { Seal } from '../domain/audit/seal.ts'
import type { ThreadMemory } from '../metrics/memory.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { SigningKeyMaker } from '../ports/signing-keys.ts'
import type { Timing } from '../ports/timing.ts'
import type { SealKey } from './audit/seals.ts'
import type { OnFault } from './background.ts'
import type { ManualClock } from './clocks.ts'
import type { Retention } from './retention.ts'

/** The command that made a store. */
export type StoreMaker = 'dev' | 'migrate'

/** The message for the log. */
export const STORE_LATE = 'The store did not answer in time.'

export type StoreOptions = {
  readonly timing: Timing
  /** What the service maintains and for how long; null in a process that acts once: it backfills and removes nothing. */
  readonly retention: Retention | null
  /** A clock that a test sets; no setting of `serve` reaches it. */
  readonly clock?: ManualClock
  /** What writes an embedded store: a thread, unless it is said. */
  readonly writer?: 'thread' | 'inline'
  /** The key that seals the audit log, and who is notified of a seal; without it nothing is sealed. */
  readonly sealing?: { readonly key: SealKey; readonly onSeal: (seal: Seal) => void }
  /** How signing keys live, and who makes the next; without it they stay as they are. */
  readonly keys?: { readonly policy: KeyPolicy; readonly maker: Pick<SigningKeyMaker, 'make'> }
  /** The metrics of the calling thread. */
  readonly metrics?: Metrics
  /** Memory for the metrics of a writing thread; without it, or where it gives none, nothing is measured there. */
  readonly addMetrics?: () => ThreadMemory | null
  /** Called with what failed in the background, or ended a writing thread. */
  readonly onFault?: OnFault
}
