// A command of a test on its way to the process that runs it, and its outcome on the way back.
import type { MessagePort } from 'node:worker_threads'

export type Variables = Readonly<Record<string, string>>

/** A command, and all that it has of the world. */
export type Task = {
  readonly folder: string
  readonly args: readonly string[]
  readonly variables: Variables
  /** The text on standard input. */
  readonly input: string
}

export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

export type Order = {
  readonly task: Task
  /** The environment of the process. */
  readonly environment: Variables
  readonly port: MessagePort
  /** Set to 1 and notified once the port has the outcome. */
  readonly done: Int32Array
}

// Enough for any command on a slow machine; a test that needs it fails, it does not wait for it to pass.
export const GIVE_UP_MS = 60_000
