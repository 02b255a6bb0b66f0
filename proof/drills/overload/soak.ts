// The soak drill: an hour of half of what the service can do, with all that operators do, leaves memory, descriptors, the WAL
// and response times as they were. docs/development/drills.md says what it shows and what it cannot.
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { print, readOptions, runOnStores } from '../drill.ts'
import { issueRequest } from '../requests.ts'
import { STORES, type StoreUnderDrill } from '../stores.ts'
import { faultsIn, residentMiB, threadsOf } from '../strangers/process-state.ts'
import { makeWorld, type Service, type World } from '../strangers/world.ts'
import { change } from './administer.ts'
import { keepConnections } from './connections.ts'
import { judgeSoak, type SoakRow } from './judge-soak.ts'
import { type RunningActions, startActions } from './soak-actions.ts'
import type { SoakCounts, SoakOptions } from './soak-load.ts'
import { quantile } from './summary.ts'

const CAPACITY_SECONDS = 5
const CAPACITY_CONNECTIONS = 32
/** An issue costs about twice as much as an average request of the load. */
const REQUESTS_AN_ISSUE = 2
const MEBIBYTE = 2 ** 20
const SHOWN_CHARACTERS = 160

const options = readOptions({ minutes: 60, 'row-seconds': 60, rate: null, store: STORES, workers: 2 })
const violations: string[] = []
let rowsInAll = 0

/** Requests a second at half load: half of the issues that it can do, counted as what they cost of the load. */
const measureHalf = async ({ access }: World): Promise<number> => {
  const connections = keepConnections(access.port, CAPACITY_CONNECTIONS)
  const until = performance.now() + 1000 * CAPACITY_SECONDS
  let answers = 0
  const run = async (): Promise<void> => {
    while (performance.now() < until) {
      await connections.exchange(issueRequest(access.agent))
      answers += 1
    }
  }
  await Promise.all(Array.from({ length: CAPACITY_CONNECTIONS }, run))
  return Math.round((REQUESTS_AN_ISSUE * answers) / CAPACITY_SECONDS / 2)
}

const descriptorsOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

const walMiBOf = ({ variables }: World): number => {
  const file = join(variables['MINTMARK_DATA_DIR'] ?? '', 'mintmark.db-wal')
  return (statSync(file, { throwIfNoEntry: false })?.size ?? Number.NaN) / MEBIBYTE
}

type Soaking = {
  readonly world: World
  readonly service: Service
  readonly load: Worker
  readonly actions: RunningActions
  readonly name: string
}

const TITLES = ['minute', 'req/s', 'failed', 'acts', 'p99', 'issue p99', 'MiB', 'fds', 'WAL MiB', 'load']
const WIDTH = 10
const lineOf = (cells: readonly string[]): string => cells.map(cell => cell.padStart(WIDTH)).join('')

const measureRow = async (soaking: Soaking, seconds: number): Promise<SoakRow> => {
  const { world, service, load, actions, name } = soaking
  const reported = once(load, 'message') as Promise<[SoakCounts]>
  load.postMessage('report')
  const [counts] = await reported
  const { done, failures } = actions.report()
  const row: SoakRow = {
    seconds,
    perSecond: counts.asked / options['row-seconds'],
    failed: counts.failed,
    introspectionP99: quantile(counts.introspectionMs, 0.99),
    issueP99: quantile(counts.issueMs, 0.99),
    residentMiB: residentMiB(service.pid),
    descriptors: descriptorsOf(service.pid),
    walMiB: walMiBOf(world),
  }
  const figures = [row.introspectionP99, row.issueP99, row.residentMiB, row.descriptors, row.walMiB, loadavg()[0] ?? 0]
  const cells = [(seconds / 60).toFixed(1), row.perSecond.toFixed(0), String(row.failed), String(done)]
  print(lineOf([...cells, ...figures.map(figure => (Number.isNaN(figure) ? '-' : figure.toFixed(1)))]))
  const failed =
    counts.firstFailure === null ? [] : [`${counts.failed} requests failed, the first: ${counts.firstFailure}`]
  const faults = faultsIn(service.readLog()).slice(0, 3)
  for (const found of [...failed, ...failures, ...faults]) print(`    ${found.slice(0, SHOWN_CHARACTERS)}`)
  violations.push(...counts.wrong.slice(0, 3).map(wrong => `${name}: ${wrong}`))
  violations.push(...[...failures, ...faults].map(found => `${name}: ${found.slice(0, SHOWN_CHARACTERS)}`))
  return row
}

const soakFor = async (soaking: Soaking): Promise<readonly SoakRow[]> => {
  const rows: SoakRow[] = []
  const total = 60 * options.minutes
  print(lineOf(TITLES))
  for (let seconds = 0; seconds < total && soaking.service.ended() === null; seconds += options['row-seconds']) {
    await delay(1000 * options['row-seconds'])
    rows.push(await measureRow(soaking, seconds + options['row-seconds']))
  }
  return rows
}

const FAILED_SHARE_MAX = 0.001

const judgeAll = ({ service, name }: Soaking, threads: readonly string[], rows: readonly SoakRow[]): void => {
  const left = threadsOf(service.pid)
  const ended = service.ended()
  const asked = rows.reduce((sum, { perSecond }) => sum + perSecond * options['row-seconds'], 0)
  const failed = rows.reduce((sum, row) => sum + row.failed, 0)
  const threadsEnded = threads.filter(thread => !left.includes(thread)).length
  const found = [
    ...judgeSoak(rows),
    ...(ended === null ? [] : [`the process ended with ${ended}`]),
    ...(threadsEnded === 0 ? [] : [`${threadsEnded} threads ended`]),
    ...(failed > FAILED_SHARE_MAX * asked ? [`${failed} of ${Math.round(asked)} requests failed`] : []),
  ]
  violations.push(...found.map(what => `${name}: ${what}`))
  rowsInAll += rows.length
}

const soakStore = async (store: StoreUnderDrill, started: AsyncDisposableStack, folder: DrillFolder): Promise<void> => {
  const world = await makeWorld(store, { folder, workers: options.workers, print }, started)
  const service = await world.start()
  const churned = await change(world, '/api/v1/agents', { name: 'churned', scope: 'db:read' })
  const rate = options.rate ?? (await measureHalf(world))
  print(`${store.kind}: ${rate} requests/s`)
  const agent = { clientId: churned['client_id'] ?? '', clientSecret: churned['client_secret'] ?? '' }
  const workerData: SoakOptions = { access: world.access, churned: agent, ratePerSecond: rate }
  const load = new Worker(new URL('./soak-thread.ts', import.meta.url), { workerData })
  started.defer(async () => void (await load.terminate()))
  // An hour sees each thing often; a shorter soak does all of it, more often.
  const hastened = Math.max(1, 60 / options['row-seconds'])
  const soak = { world, agentId: churned['agent_id'] ?? '', folder: folder.make('backups') }
  const actions = startActions(soak, hastened)
  started.defer(() => actions.stop())
  const soaking: Soaking = { world, service, load, actions, name: store.kind }
  const threads = threadsOf(service.pid)
  judgeAll(soaking, threads, await soakFor(soaking))
}

await runOnStores({
  name: 'Soak',
  options,
  violations,
  perform: soakStore,
  summary: () => `${options.minutes} minutes on each store, ${rowsInAll} rows`,
})
