// What a test and the thread that asks PostgreSQL for it say to one another.
import type { MessagePort } from 'node:worker_threads'

export type SyncQuestion = {
  readonly url: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly cell: Int32Array
  readonly port: MessagePort
}

export type SyncAnswer =
  | { readonly rows: readonly Record<string, unknown>[]; readonly changes: number }
  | { readonly fault: string }
