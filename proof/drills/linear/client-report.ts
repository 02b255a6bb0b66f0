// What a client thread is started with, and what it reports.
import type { Access } from '../requests.ts'
import type { TableMemory, TokenOutcome } from './token-table.ts'

export type ClientOptions = {
  readonly access: Access
  /** The port of each process that serves; connections are shared out among them. */
  readonly ports: readonly number[]
  readonly table: TableMemory
  /** Cells for all clients together, by PROGRESS. */
  readonly progress: SharedArrayBuffer
  readonly connections: number
  readonly seed: number
  /** How long an answer is waited for. */
  readonly answerMsMax: number
  /** Tokens are asked for with one scope of so many, each of which the store learns as it comes. */
  readonly scopes: number
  /** `all`: what became of each token is reported, for a look at the store when all is over. */
  readonly outcomes: 'all' | 'none'
}

/** The operations still to be done, the violations found, and, from `hot` on, HOT_PLACES places revoked last. */
export const PROGRESS = { left: 0, violations: 1, hot: 2 } as const

export const HOT_PLACES = 4

export type ClientCounts = {
  issues: number
  introspections: number
  revocations: number
  exchanges: number
  errors: number
  /** Issues without an answer: the service may hold a token for each. */
  issuesUnanswered: number
}

export type ClientReport = {
  readonly violations: readonly string[]
  readonly counts: ClientCounts
  readonly outcomes: readonly TokenOutcome[]
}
