// Each flood in each size against one store: calm before it, beside it, after it, and the same beside a bare handler.
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { print } from '../drill.ts'
import type { Access } from '../requests.ts'
import type { StoreUnderDrill } from '../stores.ts'
import { faultsIn, peakMiB, resetPeak, residentMiB, threadsOf } from '../strangers/process-state.ts'
import { makeWorld, type Service, type World } from '../strangers/world.ts'
import { type FloodName, type Known, mannerOf, prebuild } from './flood-kinds.ts'
import type { FloodCounts, FloodOrder } from './flood-senders.ts'
import { KINDS, RATE_PER_SECOND } from './honest.ts'
import { brokenOf, type Cell, missedOf, type Phase, phaseOf } from './summary.ts'
import { formatCell, formatFlood } from './table.ts'
import { type Flooder, type Honest, startHonest } from './threads.ts'

export type Run = {
  /** Whether no other flood is to begin. */
  readonly isOver: () => boolean
  readonly seconds: number
  readonly addresses: number
  readonly workers: number
  readonly sizes: readonly number[]
  readonly floods: readonly FloodName[]
  readonly violations: string[]
  readonly missed: string[]
  /** The figures of the bare handler, which has no store, by flood and size. */
  readonly bareFigures: Map<string, Phase>
  cells: number
}

type Stage = {
  readonly run: Run
  readonly store: StoreUnderDrill
  readonly folder: DrillFolder
  readonly flooder: Flooder
  /** Starts the bare handler, and gives its port. */
  readonly startBare: (access: Access) => Promise<number>
}

/** Every connection of a flood takes part by then, or the measurement goes on without it. */
const OPEN_MS_MAX = 10_000
const SETTLE_MS = 500
/** Two kinds of callers revoke, through three phases, which may take as long again as they should. */
const tokensFor = (seconds: number): number => 2 * RATE_PER_SECOND * (3 * seconds + (2 * OPEN_MS_MAX) / 1000)

const orderOf = (name: FloodName, size: number, { run, known }: { run: Run; known: Known }): FloodOrder => ({
  port: known.access.port,
  manner: mannerOf(name),
  requests: prebuild(name, known),
  connections: size,
  addresses: run.addresses,
})

const measureCalm = async (honest: Honest, seconds: number): Promise<Measured> => {
  await honest.begin()
  await delay(1000 * seconds)
  return honest.end()
}

type Beside = { readonly measured: Measured; readonly counts: FloodCounts; readonly floodSeconds: number }

type Measured = Awaited<ReturnType<Honest['end']>>

/** Measures from the first connection of the flood on, until every honest request has its response. */
const measureBeside = async (honest: Honest, flooder: Flooder, order: FloodOrder, seconds: number): Promise<Beside> => {
  await honest.begin()
  const start = performance.now()
  await flooder.start(order, OPEN_MS_MAX)
  await delay(1000 * seconds)
  const measured = await honest.end()
  const floodSeconds = (performance.now() - start) / 1000
  return { measured, counts: await flooder.stop(), floodSeconds }
}

const measureBare = async (stage: Stage, bare: Honest, key: string, order: FloodOrder): Promise<Phase> => {
  const { run, flooder } = stage
  const known = run.bareFigures.get(key)
  if (known !== undefined) return known
  await measureCalm(bare, 1)
  const { measured } = await measureBeside(bare, flooder, order, run.seconds)
  const phase = phaseOf(measured)
  run.bareFigures.set(key, phase)
  await delay(SETTLE_MS)
  return phase
}

type Parts = {
  readonly world: World
  readonly service: Service
  readonly honest: Honest
  readonly bare: Honest
  readonly barePort: number
}

const whole = (value: number): string => (Number.isNaN(value) ? '-' : String(Math.round(value)))

const describeLag = ({ calm, during, after, bare }: Cell): string =>
  [calm, during, after, bare].map(({ lagMs }) => whole(lagMs)).join('/')

/** What is wrong with the process, by the system and the log. */
const judgeProcess = (service: Service, before: readonly string[]): readonly string[] => {
  const left = threadsOf(service.pid)
  const threadsEnded = before.filter(thread => !left.includes(thread)).length
  const ended = service.ended()
  return [
    ...(ended === null ? [] : [`the process ended with ${ended}`]),
    ...(threadsEnded === 0 ? [] : [`${threadsEnded} threads ended`]),
  ]
}

const report = (run: Run, title: string, cell: Cell, broken: readonly string[]): void => {
  for (const line of formatCell(cell)) print(line)
  for (const line of broken) print(`    BROKEN: ${line}`)
  run.violations.push(...broken.map(line => `${title}: ${line}`))
  run.missed.push(...KINDS.flatMap(kind => missedOf(cell, kind).map(line => `${title}: ${kind}: ${line}`)))
  run.cells += 1
}

const runCell = async (stage: Stage, parts: Parts, name: FloodName, size: number): Promise<void> => {
  const { run, flooder, store } = stage
  const { world, service, honest, bare, barePort } = parts
  const token = await honest.fill(tokensFor(run.seconds))
  const order = orderOf(name, size, { run, known: { access: world.access, token } })
  const bareFigures = await measureBare(stage, bare, `${name} ${size}`, { ...order, port: barePort })
  const threads = threadsOf(service.pid)
  const residentBefore = residentMiB(service.pid)
  resetPeak(service.pid)
  const calm = await measureCalm(honest, run.seconds)
  const { measured, counts, floodSeconds } = await measureBeside(honest, flooder, order, run.seconds)
  const after = await measureCalm(honest, run.seconds)
  const cell: Cell = { calm: phaseOf(calm), during: phaseOf(measured), after: phaseOf(after), bare: bareFigures }
  const revived = service.ended() === null ? await honest.countRevived() : 0
  const title = `${store.kind}, ${name} from ${size}`
  const memory = [residentBefore, peakMiB(service.pid), residentMiB(service.pid)].map(whole).join('/')
  print(`${title}: ${formatFlood(counts, floodSeconds)}`)
  const load = loadavg()[0]?.toFixed(1) ?? '-'
  print(`  load ${load}; MiB before/peak/after ${memory}; own delay calm/during/after/bare ${describeLag(cell)} ms`)
  const faults = faultsIn(service.readLog())
  if (faults.length > 0) run.missed.push(`${title}: ${faults.length} faults in the log, the first: ${faults[0]}`)
  report(run, title, cell, [
    ...judgeProcess(service, threads),
    ...brokenOf(cell),
    ...[...calm.wrong, ...measured.wrong, ...after.wrong].slice(0, 3),
    ...(revived === 0 ? [] : [`P1: ${revived} tokens active after the acknowledgement of their revocation`]),
  ])
}

/** Runs all floods against one store; a process that ended is started again for the next. */
export const runCells = async (stage: Stage, started: AsyncDisposableStack): Promise<void> => {
  const { run, store, folder } = stage
  const world = await makeWorld(store, { folder, workers: run.workers, print }, started)
  let service = await world.start()
  const barePort = await stage.startBare(world.access)
  const options = { access: world.access, isBare: false }
  const honest = startHonest(options, started)
  const bareOptions = { access: { ...world.access, port: barePort }, isBare: true }
  const bare = startHonest(bareOptions, started)
  await honest.fill(tokensFor(1))
  await measureCalm(honest, 1)
  for (const name of run.floods) {
    for (const size of run.sizes) {
      if (run.isOver()) return
      await runCell(stage, { world, service, honest, bare, barePort }, name, size)
      if (service.ended() !== null) service = await world.start()
      await delay(SETTLE_MS)
    }
  }
}
