// The linearizability drill: clients issue, introspect and revoke the same tokens at once, and every answer must fit
// into one order of all operations (promises P1, P2 and P5). docs/development/drills.md says what it shows and what it cannot.
import { type ClientReport, PROGRESS } from './client-report.ts'
import { makeProgress, operationsIn, reportCounts, runClients, sumCounts } from './clients.ts'
import { makeBound } from '../../options.ts'
import { formatCount, print, readOptions, runOnService } from '../drill.ts'
import type { ServiceUnderDrill } from '../service-under-drill.ts'
import { makeTableMemory, openTokenTable, type TableMemory } from './token-table.ts'

const PROGRESS_MS = 10_000
const BOUND_MS = 500
/** The least operations per error: with more errors the drill has not tested what it should. */
const OPERATIONS_PER_ERROR_MIN = 1000
const ANSWER_MS_MAX = 30_000

const options = readOptions({ operations: 1_000_000, clients: 2, connections: 32, tokens: 96, workers: null })
const isOver = makeBound(options)

const reportProgress = (progress: Int32Array, total: number): NodeJS.Timeout => {
  const began = Date.now()
  return setInterval(() => {
    const done = total - Math.max(0, Atomics.load(progress, PROGRESS.left))
    print(`  ${formatCount(done)} operations, ${formatCount(Math.round((1000 * done) / (Date.now() - began)))}/s`)
  }, PROGRESS_MS)
}

const endInTime = (progress: Int32Array): NodeJS.Timeout =>
  setInterval(() => {
    if (isOver()) Atomics.store(progress, PROGRESS.left, 0)
  }, BOUND_MS)

const violations: string[] = []
const reports: ClientReport[] = []
let seconds = 0

/** What is only seen once all clients have ended. */
const judgeAll = (table: TableMemory): void => {
  const shared = openTokenTable(table)
  violations.push(...reports.flatMap(report => report.violations))
  for (let place = 0; place < options.tokens; place += 1) violations.push(...shared.judge(place))
  const errors = sumCounts(reports, 'errors')
  if (errors * OPERATIONS_PER_ERROR_MIN > operationsIn(reports)) {
    violations.push(`${formatCount(errors)} operations ended in an error: too many to have tested anything`)
  }
}

const drill = async ({ access, start }: ServiceUnderDrill): Promise<void> => {
  await start()
  const { connections, seed } = options
  const table = makeTableMemory(options.tokens)
  const progress = makeProgress(options.operations)
  const timers = [reportProgress(progress, options.operations), endInTime(progress)]
  const began = Date.now()
  const clients = runClients(options.clients, {
    access,
    ports: [access.port],
    table,
    progress: progress.buffer,
    connections,
    seed,
    answerMsMax: ANSWER_MS_MAX,
    scopes: 1,
    outcomes: 'none',
  })
  reports.push(...(await clients.finally(() => timers.forEach(clearInterval))))
  seconds = (Date.now() - began) / 1000
  judgeAll(table)
}

const summary = (): string => {
  const done = operationsIn(reports)
  const rate = formatCount(Math.round(done / seconds))
  return `${formatCount(done)} operations at ${rate}/s (${reportCounts(reports)})`
}

await runOnService({ name: 'Linearizability', options, perform: drill, violations, summary })
