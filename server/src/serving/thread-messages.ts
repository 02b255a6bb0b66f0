// The messages between the main thread and the threads that serve.
import type { MessagePort } from 'node:worker_threads'
import type { ServeConfig } from '../config/config.ts'
import { StartRefused } from '../config/start-refused.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'
import type { KeySet, KeySetPlace } from '../ports/key-sets.ts'
import type { ClockCells } from '../store/sqlite/connection/clock.ts'

/** The options of a serving thread. */
export type ServingOptions = {
  readonly config: ServeConfig
  /** Of the embedded store; on PostgreSQL the database has one. */
  readonly clock: ClockCells | null
  /** Whether other threads listen on the same port. */
  readonly sharesPort: boolean
  /** Shared memory: which thread has an import under way. */
  readonly importCell: Int32Array
}

export type ToServingThread =
  | { readonly writer: MessagePort }
  /** The answer of the main thread, which fetches, as it is then. */
  | { readonly place: KeySetPlace; readonly set: KeySet }
  /** `drain`: fail /readyz and go on serving. `close`: answer what is under way, then end. */
  | { readonly order: 'drain' | 'close' }

/** `unavailable`: the store could not be reached. */
export type RefusedStart = { readonly state: 'refused' | 'unavailable'; readonly message: string }

export type FromServingThread =
  | { readonly state: 'listening' }
  | RefusedStart
  /** Asks for the latest set there, by a thread that has the one that was read at `seenAt`. */
  | { readonly place: KeySetPlace; readonly seenAt: MonotonicMilliseconds }

/** The message of an error that ends a start: an error loses its class between threads. Undefined for a fault of this program. */
export const refusedStart = (fault: unknown): RefusedStart | undefined => {
  if (fault instanceof StartRefused) return { state: 'refused', message: fault.message }
  return fault instanceof Unavailable ? { state: 'unavailable', message: fault.message } : undefined
}

/** The error of the message again. */
export const startFailureOf = ({ state, message }: RefusedStart): Error =>
  state === 'refused' ? new StartRefused(message) : new Unavailable(message)
