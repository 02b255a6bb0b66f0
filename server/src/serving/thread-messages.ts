// What passes between the thread that runs the process and the threads that serve.
import type { MessagePort } from 'node:worker_threads'
import type { ServeConfig } from '../config.ts'
import type { OperatorCaller } from '../domain/caller.ts'
import type { ClockCells } from '../store/sqlite/clock.ts'

/** How a serving thread is started. */
export type ServingOptions = {
  readonly config: ServeConfig
  /** Of the embedded store; on PostgreSQL the database has one. */
  readonly clock: ClockCells | null
  /** Whether other threads listen on the same port. */
  readonly sharesPort: boolean
  /** In memory that all threads share: which of them has an import under way. */
  readonly importCell: Int32Array
}

export type Verification = OperatorCaller | { readonly refused: string }

/** `unavailable`: the provider's keys cannot be had. `fault`: a bug of ours. */
export type VerificationAnswer =
  | { readonly verified: Verification }
  | { readonly failed: 'unavailable' | 'fault'; readonly message: string }

export type ToServingThread =
  | { readonly writer: MessagePort }
  | { readonly verification: number; readonly answer: VerificationAnswer }
  /** `drain`: fail /readyz and go on serving. `close`: answer what is under way, then end. */
  | { readonly order: 'drain' | 'close' }

export type FromServingThread =
  | { readonly state: 'listening' }
  | { readonly state: 'refused'; readonly message: string }
  | { readonly verification: number; readonly jwt: string }
