// One run of the replicas drill on one program: load under faults, until enough was done or a promise is broken, and a
// look at the store when all is over.
import { setTimeout as delay } from 'node:timers/promises'
import { type ClientReport, PROGRESS } from '../linear/client-report.ts'
import { makeProgress, operationsIn, reportCounts, runClients, sumCounts } from '../linear/clients.ts'
import { formatCount, performAll } from '../drill.ts'
import { SHORT_LIFETIME_SECONDS, untilReady } from '../service-under-drill.ts'
import { makeTableMemory, openTokenTable, type TableMemory, type TokenOutcome } from '../linear/token-table.ts'
import { checkOutcomes } from './check-outcomes.ts'
import { type FaultSchedule, startFaults } from './fault-schedule.ts'
import type { Parts } from './parts.ts'
import { type ReplicaSet, startReplicaSet } from './replica-set.ts'

type RunOptions = {
  readonly parts: Parts
  /** The main file that the replicas run. */
  readonly program: string
  readonly replicas: number
  readonly workers: number | null
  readonly clients: number
  readonly connections: number
  readonly tokens: number
  readonly seed: number
  /** It ends once that much was done, or its time is over. */
  readonly operations: number
  readonly faults: number
  readonly failovers: number
  readonly isOver: () => boolean
  readonly say: (line: string) => void
  /** Called for each fault. */
  readonly report: (line: string) => void
}

type DrillRun = {
  readonly violations: readonly string[]
  readonly summary: string
  /** The logs of a run that found something. */
  readonly folder: string | undefined
}

const PROGRESS_MS = 10_000
const POLL_MS = 200
const OPERATIONS_MAX = 0x7fff_ffff
/** The longest wait for a response: longer than the service takes to give up, shorter than a long pause. */
const ANSWER_MS_MAX = 8000
/** New ones come all through a run, also while what is written is lost again. */
const SCOPES = 20_000
/** The share of operations that must be answered; below it next to nothing was tested. */
const ANSWERED_LEAST = 0.5

/** What is known so far. */
type Course = {
  readonly options: RunOptions
  readonly violations: string[]
  readonly table: TableMemory
  readonly progress: Int32Array<SharedArrayBuffer>
  reports: readonly ClientReport[]
  faults: FaultSchedule | undefined
}

const operationsOf = ({ progress, reports }: Course): number => {
  if (reports.length > 0) return operationsIn(reports)
  return OPERATIONS_MAX - Atomics.load(progress, PROGRESS.left)
}

const summaryOf = (course: Course): string => {
  const { reports, faults } = course
  const struck = [...(faults?.counts ?? [])].map(([name, count]) => `${count} ${name}`).join(', ')
  const under = `${faults?.total() ?? 0} faults (${struck}), ${faults?.failOvers() ?? 0} fail-overs`
  return `${formatCount(operationsOf(course))} operations (${reportCounts(reports)}) under ${under}`
}

const isOver = (course: Course, faults: FaultSchedule): boolean => {
  const { options, violations, progress } = course
  if (violations.length > 0 || Atomics.load(progress, PROGRESS.violations) > 0) return true
  if (options.isOver()) return true
  const isLoaded = operationsOf(course) >= options.operations
  return isLoaded && faults.total() >= options.faults && faults.failOvers() >= options.failovers
}

const runAll = ({ options, table, progress }: Course, { access, replicas }: ReplicaSet) => {
  const { connections, clients, seed } = options
  return runClients(clients, {
    access,
    ports: replicas.map(({ port }) => port),
    table,
    progress: progress.buffer,
    connections,
    seed,
    answerMsMax: ANSWER_MS_MAX,
    scopes: SCOPES,
    outcomes: 'all',
  })
}

const loadUnderFaults = async (course: Course, set: ReplicaSet): Promise<void> => {
  const { options, progress } = course
  const clients = runAll(course, set)
  // Waited for below; it may fail before.
  clients.catch(() => undefined)
  const faults = await startFaults({ ...set, seed: options.seed, report: options.report })
  course.faults = faults
  const reported = (): string => `${formatCount(operationsOf(course))} operations, ${faults.total()} faults`
  const timer = setInterval(() => options.say(reported()), PROGRESS_MS)
  try {
    while (!isOver(course, faults)) await Promise.race([delay(POLL_MS), faults.failed, clients])
    await faults.stop()
  } finally {
    clearInterval(timer)
    Atomics.store(progress, PROGRESS.left, 0)
    course.reports = await clients
  }
}

/** What became of all tokens; what no order of operations explains is a violation. */
const judgeAll = ({ options, table, reports, violations }: Course): readonly TokenOutcome[] => {
  const shared = openTokenTable(table)
  const places = Array.from({ length: options.tokens }, (_, place) => place)
  violations.push(...reports.flatMap(report => report.violations), ...places.flatMap(shared.judge))
  return [...reports.flatMap(({ outcomes }) => outcomes), ...places.flatMap(place => shared.outcome(place) ?? [])]
}

const perform = async (course: Course, set: ReplicaSet): Promise<void> => {
  const { violations } = course
  await loadUnderFaults(course, set)
  const outcomes = judgeAll(course)
  course.options.say('all faults are over')
  await set.cluster.untilWhole()
  // None may need a restart to come back.
  await Promise.all(set.replicas.map(({ port }) => untilReady(port)))
  await delay(1000 * (SHORT_LIFETIME_SECONDS + 1))
  violations.push(...(await checkOutcomes(set.access, outcomes, sumCounts(course.reports, 'issuesUnanswered'))))
  const errors = sumCounts(course.reports, 'errors')
  if (errors > (1 - ANSWERED_LEAST) * operationsOf(course)) {
    violations.push(`${formatCount(errors)} operations ended in an error: too many to have tested anything.`)
  }
}

export const runReplicas = async (options: RunOptions): Promise<DrillRun> => {
  const violations: string[] = []
  const table = makeTableMemory(options.tokens)
  const progress = makeProgress(OPERATIONS_MAX)
  const course: Course = { options, violations, table, progress, reports: [], faults: undefined }
  let folder: string | undefined
  const onDeath = (what: string): void => void violations.push(what)
  await performAll(violations, async started => {
    const set = await startReplicaSet({ ...options, onDeath, report: options.say })
    folder = set.folder
    started.defer(() => set.close(violations.length > 0))
    await perform(course, set)
  })
  return { violations, summary: summaryOf(course), folder: violations.length > 0 ? folder : undefined }
}
