// The linearizability drill: clients issue, introspect and revoke the same tokens at once, and every answer must fit
// into one order of all operations (promises P1, P2 and P5). docs/drills.md says what it shows and what it cannot.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { formatCount, print, readOptions, runDrill } from './drill.ts'
import type { ClientCounts, ClientOptions, ClientReport } from './linear-client.ts'
import type { ServiceUnderDrill } from './service-under-drill.ts'
import { makeTableMemory, openTokenTable, type TableMemory } from './token-table.ts'

const PROGRESS_MS = 10_000
/** More errors than one operation in so many, and the drill has not tested what it should. */
const OPERATIONS_PER_ERROR_MIN = 1000

const options = readOptions({ operations: 1_000_000, clients: 2, connections: 32, tokens: 96, workers: null })

const runClient = async (client: ClientOptions): Promise<ClientReport> => {
  const thread = new Worker(new URL('./linear-client.ts', import.meta.url), { workerData: client })
  const [report] = (await once(thread, 'message')) as [ClientReport]
  return report
}

const sum = (reports: readonly ClientReport[], name: keyof ClientCounts): number =>
  reports.reduce((total, { counts }) => total + counts[name], 0)

const tellProgress = (progress: Int32Array, total: number): NodeJS.Timeout => {
  const began = Date.now()
  return setInterval(() => {
    const done = total - Math.max(0, Atomics.load(progress, 0))
    print(`  ${formatCount(done)} operations, ${formatCount(Math.round((1000 * done) / (Date.now() - began)))}/s`)
  }, PROGRESS_MS)
}

const violations: string[] = []
const reports: ClientReport[] = []
let seconds = 0

/** What is only seen once all clients have ended. */
const judgeAll = (table: TableMemory): void => {
  const shared = openTokenTable(table)
  violations.push(...reports.flatMap(report => report.violations))
  for (let place = 0; place < options.tokens; place += 1) violations.push(...shared.judge(place))
  const errors = sum(reports, 'errors')
  if (errors * OPERATIONS_PER_ERROR_MIN > options.operations) {
    violations.push(`${formatCount(errors)} operations ended in an error: too many to have tested anything`)
  }
}

const drill = async ({ access, start }: ServiceUnderDrill): Promise<void> => {
  await start()
  const { connections } = options
  const table = makeTableMemory(options.tokens)
  const progress = new Int32Array(new SharedArrayBuffer(8))
  progress[0] = options.operations
  const timer = tellProgress(progress, options.operations)
  const began = Date.now()
  const clients = Array.from({ length: options.clients }, (_, n) =>
    runClient({ access, table, progress: progress.buffer, connections, seed: options.seed + n * connections }),
  )
  reports.push(...(await Promise.all(clients).finally(() => clearInterval(timer))))
  seconds = (Date.now() - began) / 1000
  judgeAll(table)
}

const summary = (): string => {
  const kinds = (['issues', 'introspections', 'revocations', 'errors'] as const)
    .map(name => `${formatCount(sum(reports, name))} ${name}`)
    .join(', ')
  const rate = formatCount(Math.round(options.operations / seconds))
  return `${formatCount(options.operations)} operations at ${rate}/s (${kinds})`
}

await runDrill({ name: 'Linearizability', options, perform: drill, violations, summary })
