// The client threads of a drill that shares few tokens among many connections: how they are started, what they report.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { formatCount } from './drill.ts'
import type { Access } from './requests.ts'
import type { TableMemory, TokenOutcome } from './token-table.ts'

export type ClientOptions = {
  readonly access: Access
  /** Of each process that serves; connections are shared out among them. */
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
  errors: number
  /** Issues without an answer: the service may hold a token for each. */
  issuesUnanswered: number
}

export type ClientReport = {
  readonly violations: readonly string[]
  readonly counts: ClientCounts
  readonly outcomes: readonly TokenOutcome[]
}

/** Memory for PROGRESS, with so many operations to do. */
export const makeProgress = (operations: number): Int32Array<SharedArrayBuffer> => {
  const progress = new Int32Array(new SharedArrayBuffer(4 * (PROGRESS.hot + HOT_PLACES)))
  progress[PROGRESS.left] = operations
  return progress
}

const runClient = async (client: ClientOptions): Promise<ClientReport> => {
  const thread = new Worker(new URL('./linear-client.ts', import.meta.url), { workerData: client })
  const [report] = (await once(thread, 'message')) as [ClientReport]
  return report
}

/** Runs so many clients to their end, which comes when no operations are left to do; each has seeds of its own. */
export const runClients = (count: number, client: ClientOptions): Promise<readonly ClientReport[]> =>
  Promise.all(
    Array.from({ length: count }, (_, n) => runClient({ ...client, seed: client.seed + n * client.connections })),
  )

export const sumCounts = (reports: readonly ClientReport[], name: keyof ClientCounts): number =>
  reports.reduce((total, { counts }) => total + counts[name], 0)

/** What all of them did, for the line of result. */
export const reportCounts = (reports: readonly ClientReport[]): string =>
  (['issues', 'introspections', 'revocations', 'errors'] as const)
    .map(name => `${formatCount(sumCounts(reports, name))} ${name}`)
    .join(', ')
