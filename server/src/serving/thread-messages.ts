// The messages between the main thread and the serving threads.
import type { MessagePort } from 'node:worker_threads'
import type { Service } from '../compose/compose.ts'
import type { LimitMemory } from '../compose/limits.ts'
import type { ServeConfig } from '../config/config.ts'
import type { ThreadMemory } from '../metrics/memory.ts'
import type { CheckResult } from '../domain/checkup.ts'
import { StartRefused } from '../config/start-refused.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'
import type { KeySet, KeySetPlace } from '../ports/key-sets.ts'
import type { Timing } from '../ports/timing.ts'
import type { ClockCells } from '../store/sqlite/connection/clock.ts'

/** The options of a serving thread. It shares memory with the service. */
export type ServingOptions = Pick<Service, 'threadEnds' | 'finishedSignIns'> & {
  readonly config: ServeConfig
  readonly timing: Timing
  /** The clock of the embedded store; null on PostgreSQL, which has its own. */
  readonly clock: ClockCells | null
  /** Whether other threads listen on the same port. */
  readonly sharesPort: boolean
  /** Shared memory that holds what callers have used of their limits. */
  readonly limits: LimitMemory
  /** The index of this thread among all, from 0. */
  readonly index: number
  /** Where this thread records its metrics; null: nowhere. */
  readonly metrics: ThreadMemory | null
}

/** Settings whose files were changed while the service runs. */
export type Reloaded = Partial<Pick<ServeConfig, 'tls' | 'clientCertificates' | 'identityProviders'>>

export type ToServingThread =
  | { readonly writer: MessagePort }
  /** The response of the main thread: the key set after its fetch. */
  | { readonly place: KeySetPlace; readonly set: KeySet }
  /** What the checks of the installation found. */
  | { readonly checks: readonly CheckResult[] }
  /** The settings that were read from files that changed. */
  | { readonly reloaded: Reloaded }
  /** `drain`: fail /readyz and continue to serve. `close`: finish requests in progress, then end. */
  | { readonly order: 'drain' | 'close' }

/** `unavailable`: the store could not be reached. */
export type RefusedStart = { readonly state: 'refused' | 'unavailable'; readonly message: string }

export type FromServingThread =
  | { readonly state: 'listening' }
  | RefusedStart
  /** Requests the latest set at this place, for a thread that has the one read at `seenAt`. */
  | { readonly place: KeySetPlace; readonly seenAt: MonotonicMilliseconds }

/** The message for an error that ends a start, because errors lose their class between threads. Undefined for a program error. */
export const refusedStart = (fault: unknown): RefusedStart | undefined => {
  if (fault instanceof StartRefused) return { state: 'refused', message: fault.message }
  return fault instanceof Unavailable ? { state: 'unavailable', message: fault.message } : undefined
}

/** Converts the message back into the error. */
export const startFailureOf = ({ state, message }: RefusedStart): Error =>
  state === 'refused' ? new StartRefused(message) : new Unavailable(message)
