// The client threads of a drill that shares few tokens among many connections: how they are started, what they report.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { formatCount } from '../drill.ts'
import { type ClientCounts, type ClientOptions, type ClientReport, HOT_PLACES, PROGRESS } from './client-report.ts'

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

const OPERATIONS = ['issues', 'introspections', 'exchanges', 'revocations', 'errors'] as const

/** What all of them did together. */
export const operationsIn = (reports: readonly ClientReport[]): number =>
  OPERATIONS.reduce((total, name) => total + sumCounts(reports, name), 0)

/** Formats the counts by kind, for the line of result. */
export const reportCounts = (reports: readonly ClientReport[]): string =>
  OPERATIONS.map(name => `${formatCount(sumCounts(reports, name))} ${name}`).join(', ')
