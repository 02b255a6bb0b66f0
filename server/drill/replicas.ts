// The replicas drill: five replicas over a PostgreSQL cluster that fails over, while processes stop and die, links break
// and clocks step; every answer must fit into one order of all operations. docs/drills.md says what it shows.
import { setTimeout as delay } from 'node:timers/promises'
import { type ClientReport, makeProgress, PROGRESS, runClient, sumCounts } from './clients.ts'
import { checkFates } from './cluster/check-fates.ts'
import { type FaultLanes, startFaults } from './cluster/fault-lanes.ts'
import { findParts, type Parts } from './cluster/parts.ts'
import { type ReplicaSet, startReplicaSet } from './cluster/replica-set.ts'
import { conclude, formatCount, print, readOptions } from './drill.ts'
import { PROGRAM, SHORT_LIFETIME_SECONDS, untilReady } from './service-under-drill.ts'
import { makeTableMemory, openTokenTable, type TableMemory, type TokenFate } from './token-table.ts'

const PROGRESS_MS = 10_000
const POLL_MS = 200
const OPERATIONS_MAX = 0x7fff_ffff
/** Longer than the service takes to give up, shorter than a long pause. */
const ANSWER_MS_MAX = 8000
/** Where fewer of the operations than this were answered, next to nothing was tested. */
const ANSWERED_LEAST = 0.5
const MISSING_PARTS = 2

const options = readOptions({
  operations: 1_000_000,
  faults: 200,
  failovers: 20,
  seconds: null,
  replicas: 5,
  clients: 2,
  connections: 40,
  tokens: 192,
  workers: 1,
  quiet: 0,
})

const violations: string[] = []
const reports: ClientReport[] = []
const began = performance.now()
let lanes: FaultLanes | undefined
let operations = 0

const say = (line: string): void => print(`  ${((performance.now() - began) / 1000).toFixed(1)} s: ${line}`)

const tellFault = (line: string): void => {
  if (options.quiet === 0) say(line)
}

const summary = (): string => {
  const kinds = (['issues', 'introspections', 'revocations', 'errors'] as const)
    .map(name => `${formatCount(sumCounts(reports, name))} ${name}`)
    .join(', ')
  const struck = [...(lanes?.counts ?? [])].map(([name, count]) => `${count} ${name}`).join(', ')
  const faults = `${lanes?.total() ?? 0} faults (${struck}), ${lanes?.failOvers() ?? 0} fail-overs`
  return `${formatCount(operations)} operations (${kinds}) under ${faults}`
}

const isOver = (progress: Int32Array, faults: FaultLanes, startedAt: number): boolean => {
  operations = OPERATIONS_MAX - Atomics.load(progress, PROGRESS.left)
  if (violations.length > 0 || Atomics.load(progress, PROGRESS.violations) > 0) return true
  if (options.seconds !== null) return performance.now() - startedAt > 1000 * options.seconds
  const { operations: wanted, faults: wantedFaults, failovers } = options
  return operations >= wanted && faults.total() >= wantedFaults && faults.failOvers() >= failovers
}

const load = (set: ReplicaSet, table: TableMemory, progress: Int32Array<SharedArrayBuffer>) => {
  const { connections } = options
  const ports = set.replicas.map(({ port }) => port)
  const shared = { access: set.access, ports, table, progress: progress.buffer, connections } as const
  return Promise.all(
    Array.from({ length: options.clients }, (_, n) =>
      runClient({ ...shared, seed: options.seed + n * connections, answerMsMax: ANSWER_MS_MAX, fates: 'all' }),
    ),
  )
}

const loadUnderFaults = async (set: ReplicaSet, table: TableMemory): Promise<void> => {
  const progress = makeProgress(OPERATIONS_MAX)
  const clients = load(set, table, progress)
  const faults = await startFaults({ ...set, seed: options.seed, tell: tellFault })
  lanes = faults
  const timer = setInterval(() => say(`${formatCount(operations)} operations, ${faults.total()} faults`), PROGRESS_MS)
  const startedAt = performance.now()
  try {
    while (!isOver(progress, faults, startedAt)) {
      await Promise.race([delay(POLL_MS), faults.failed, clients])
    }
    await faults.stop()
  } finally {
    clearInterval(timer)
    Atomics.store(progress, PROGRESS.left, 0)
    reports.push(...(await clients))
  }
}

const fatesOf = (table: TableMemory): readonly TokenFate[] => {
  const shared = openTokenTable(table)
  const places = Array.from({ length: options.tokens }, (_, place) => place)
  violations.push(...places.flatMap(shared.judge))
  return [...reports.flatMap(({ fates }) => fates), ...places.flatMap(place => shared.fate(place) ?? [])]
}

const perform = async (set: ReplicaSet): Promise<void> => {
  const table = makeTableMemory(options.tokens)
  await loadUnderFaults(set, table)
  say('all faults are over')
  await set.cluster.untilWhole()
  // None may need a restart to come back.
  await Promise.all(set.replicas.map(({ port }) => untilReady(port)))
  await delay(1000 * (SHORT_LIFETIME_SECONDS + 1))
  violations.push(...reports.flatMap(report => report.violations))
  const fates = fatesOf(table)
  violations.push(...(await checkFates(set.access, fates, sumCounts(reports, 'issuesUnanswered'))))
  const errors = sumCounts(reports, 'errors')
  if (errors > (1 - ANSWERED_LEAST) * operations) {
    violations.push(`${formatCount(errors)} operations ended in an error: too many to have tested anything.`)
  }
}

const cannotGoOn = (fault: unknown): string =>
  `The drill could not go on: ${fault instanceof Error ? fault.message : String(fault)}`

const drill = async (parts: Parts): Promise<void> => {
  print(`Replicas: ${JSON.stringify(options)}`)
  const { replicas, workers } = options
  const onDeath = (what: string): void => void violations.push(what)
  try {
    const set = await startReplicaSet({ parts, replicas, workers, program: PROGRAM, onDeath, tell: say })
    try {
      await perform(set)
    } catch (fault) {
      violations.push(cannotGoOn(fault))
    } finally {
      await set.close(violations.length > 0)
    }
    if (violations.length > 0) print(`All logs are kept in ${set.folder}`)
  } catch (fault) {
    violations.push(cannotGoOn(fault))
  }
  conclude(violations, summary())
}

const parts = findParts()
if ('etcd' in parts) {
  await drill(parts)
  process.exit()
} else {
  print(`The replicas drill needs, and this machine lacks:\n${parts.map(part => `  ${part}`).join('\n')}`)
  process.exit(MISSING_PARTS)
}
