// What passes between the serving threads and the one writing thread.
import type { WorkLimit } from '../../../domain/refusal.ts'
import type { MessagePort } from 'node:worker_threads'
import type { Seal } from '../../../domain/audit/seal.ts'
import type { BackgroundTask } from '../../background.ts'
import type { Maintenance } from '../../maintenance.ts'
import type { ThreadMemory } from '../../../metrics/memory.ts'
import type { Timing } from '../../../ports/timing.ts'
import type { ClockCells } from '../connection/clock.ts'
import type { JobInput, JobName } from './jobs.ts'

/** How the writing thread is started. */
export type WriterOptions = {
  readonly file: string
  readonly timing: Timing
  readonly clock: ClockCells
  /**
   * How far ahead the lease of the clock is written. 0 in a process that only acts once: it starts at the lease, and
   * would carry it on by as much each time.
   */
  readonly leaseMs: number
  /** Null in a process that acts once, like the CLI: it leaves seals, backfill and retention to the service. */
  readonly maintenance: Maintenance | null
  /** Where the thread records its metrics; null: nowhere. */
  readonly metrics: ThreadMemory | null
}

export type JobMessage = {
  readonly n: number
  /** The deadline in ms of monotonicMs(): a job that has not begun by then never begins. */
  readonly deadline: number
  /** When it was handed over, on the same clock. */
  readonly sentAt: number
  readonly job: JobName
  readonly input: JobInput<JobName>
  /** Set where the request is sampled: its thread asks when the commit was, and records it. */
  readonly isTraced?: true
}

/** What the thread that started it says: a further port to serve; or to commit what has arrived, and end. */
export type WriterControl = { readonly attach: MessagePort } | { readonly close: true }

/** A fault as text: what else hangs on an error may not pass between threads. */
export type ReportedFault = { readonly message: string; readonly stack: string }

/**
 * What the thread says to the one that started it: it takes jobs; it has sealed entries of the audit log; it finds no
 * signing key to follow the current one; or something failed in the background.
 */
export type WriterReport =
  | 'ready'
  | 'key wanted'
  | { readonly sealed: Seal }
  | { readonly failed: BackgroundTask; readonly fault: ReportedFault }

/** `unavailable`: the store failed or was too slow. `fault`: a bug of ours. */
export type Failure = {
  readonly kind: 'unavailable' | 'fault'
  readonly message: string
  /** The limit that refused, if one did. */
  readonly limit?: WorkLimit | undefined
}

/** When the group of a traced job began and was durable, in ms of monotonicMs(). */
export type CommitTimes = readonly [beganAt: number, endedAt: number]

export type Reply = { readonly n: number; readonly committed?: CommitTimes } & (
  | { readonly value: unknown }
  | { readonly failure: Failure }
)
