// The database drill: all that can befall a database befalls it, one after another, under a service that runs on; every
// answer must be right or 503 in time, and right again within two seconds of its return. docs/development/drills.md says what it shows.
import { setTimeout as delay } from 'node:timers/promises'
import { memoryOf } from '../../../testkit/processes/process-costs.ts'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { makeBound } from '../../options.ts'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { BOTH, openLink } from '../../../testkit/proxies/link.ts'
import { untilListening } from '../cluster/replica.ts'
import { formatCount, print, readOptions, runDrill } from '../drill.ts'
import { makeDatabaseServer, ROLE } from './database-server.ts'
import { type Fault, FAULTS, type Stage } from './faults.ts'
import { type Asked, askOne, type Operation, OPERATIONS, type Stock, untilAllGood } from './operations.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { type Access, introspectRequest, isActiveIn } from '../requests.ts'
import { openConnection } from '../connection.ts'
import { environmentOf, prepareAccess, PROGRAM, untilReady } from '../service-under-drill.ts'

const options = readOptions({ faults: FAULTS.length, seconds: 8, outage: 600, callers: 8, workers: 1 })
const isOver = makeBound(options)
const RECOVERY_MS_MAX = 2000
const GIVE_UP_MS = 30_000
/** The memory that a service of some 150 MB may gain while nothing can be done. */
const GROWTH_MB_MAX = 24
const STOCK = 60

const violations: string[] = []
let [asked, struck, slowestMs] = [0, 0, 0]

const report = (violation: string): void => {
  if (violations.length < 20) print(`  VIOLATION: ${violation}`)
  violations.push(violation)
}

type World = Stage & { readonly access: Access; readonly stock: Stock; readonly pid: number }

const askAll = async ({ access, stock }: World): Promise<readonly Asked[]> => {
  const answers = await Promise.all(OPERATIONS.map(operation => askOne(access, stock, operation, report)))
  asked += answers.length
  return answers
}

const fillStock = async ({ access, stock }: World): Promise<void> => {
  while (stock.live.length < STOCK) {
    const { isGood } = await askOne(access, stock, 'issue', report)
    if (!isGood) throw new Error('No token was issued while nothing was wrong.')
  }
  if (stock.ended.length === 0) await askOne(access, stock, 'revoke', report)
}

/** Every token that was acknowledged, and every end, as a healthy service has them. */
const checkStock = async ({ access, stock }: World): Promise<void> => {
  const connection = await openConnection(access.port)
  for (const [tokens, expected] of [
    [stock.live, true],
    [stock.ended, false],
  ] as const) {
    for (const token of tokens) {
      const { status, body } = await connection.exchange(introspectRequest(access, token))
      if (status !== 200) report(`An introspection afterwards: ${status} ${body}`)
      else if (isActiveIn(body) !== expected)
        report(`P3: ${expected ? 'an acknowledged token' : 'an acknowledged end'} is lost.`)
    }
  }
  connection.close()
}

/** Asks for as long as the fault lasts; reports what was answered though it cannot be known. */
const outlast = async (world: World, { name, stops, spares = false }: Fault): Promise<string> => {
  const until = performance.now() + 1000 * options.seconds
  let [latest, refused, all] = [0, 0, 0]
  do {
    const answers = await askAll(world)
    latest = Math.max(latest, ...answers.map(({ ms }) => ms))
    all += answers.length
    for (const { operation, isGood } of answers) {
      if (!isGood) refused += 1
      if (!isGood && spares) report(`${name}: ${operation} was 503.`)
      if (isGood && stops.includes(operation)) report(`${name}: ${operation} was answered as if nothing were wrong.`)
    }
    await delay(100)
  } while (performance.now() < until && world.stock.live.length > OPERATIONS.length)
  return `${refused} of ${all} answers 503, the latest after ${Math.round(latest)} ms`
}

const EXHAUST_MAX = 2000

const exhaust = async ({ access, stock }: World, name: string, operation: Operation): Promise<void> => {
  for (let n = 0; n < EXHAUST_MAX; n += 1) if (!(await askOne(access, stock, operation, report)).isGood) return
  report(`${name}: ${operation} was answered ${formatCount(EXHAUST_MAX)} times.`)
}

const endure = async (world: World, fault: Fault): Promise<void> => {
  await fillStock(world)
  const mend = await fault.strike(world)
  if (fault.exhausts !== undefined) await exhaust(world, fault.name, fault.exhausts)
  const reported = await outlast(world, fault)
  await mend()
  await world.server.untilAnswering()
  const took = await untilAllGood(world.access, world.stock, report, GIVE_UP_MS)
  if (took > RECOVERY_MS_MAX) report(`${fault.name}: answered again only after ${Math.round(took)} ms.`)
  await checkStock(world)
  struck += 1
  slowestMs = Math.max(slowestMs, took)
  print(`  ${fault.name}: ${reported}; all answered again after ${Math.round(took)} ms`)
}

const runCaller = async (world: World, isDone: () => boolean): Promise<void> => {
  const { access, stock } = world
  for (let n = 0; !isDone(); n += 1) {
    const operation = OPERATIONS[n % OPERATIONS.length] ?? 'issue'
    // What is revoked in an outage is in neither list afterwards.
    if (operation.startsWith('revoke')) continue
    await askOne(access, stock, operation, report)
    asked += 1
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const SAMPLE_MS = 1000

const sampleFor = async (pid: number, seconds: number): Promise<readonly number[]> => {
  const samples: number[] = []
  const until = performance.now() + 1000 * seconds
  do {
    samples.push(memoryOf(pid).residentMiB)
    await delay(SAMPLE_MS)
  } while (performance.now() < until)
  return samples
}

/** The least samples of a quarter: in a shorter one the process still takes what it keeps. */
const QUARTER_SAMPLES_MIN = 10

/** The first quarter under a load is for what it makes the process keep; from then on it must not grow. */
const judgeMemory = (how: string, samples: readonly number[]): void => {
  const most = `${Math.round(Math.max(...samples))} MB at most`
  const size = Math.floor(samples.length / 4)
  if (size < QUARTER_SAMPLES_MIN) return print(`  ${how}: ${most}, in too little time to see growth`)
  const means = [0, 1, 2, 3].map(n => Math.round(mean(samples.slice(n * size, (n + 1) * size))))
  const [, early = 0, , late = 0] = means
  print(`  ${how}: ${means.join(', ')} MB in its quarters, ${most}`)
  if (late - early > GROWTH_MB_MAX) report(`The service grew by ${late - early} MB while its database was away.`)
}

/** A quarter of the time nobody answers, then nobody listens; the memory of the service must not grow. */
const outlastLong = async (world: World): Promise<void> => {
  await fillStock(world)
  const until = performance.now() + 1000 * options.outage
  const callers = Array.from({ length: options.callers }, () => runCaller(world, () => performance.now() > until))
  const letGo = world.link.hold(BOTH)
  const silent = Math.round(options.outage / 4)
  const refusing = options.outage - silent
  judgeMemory(`silent for ${silent} s under ${options.callers} callers`, await sampleFor(world.pid, silent))
  await world.server.stop('fast')
  letGo()
  judgeMemory(`refusing for ${refusing} s under ${options.callers} callers`, await sampleFor(world.pid, refusing))
  await Promise.all(callers)
  await world.server.start()
  await world.server.untilAnswering()
  const took = await untilAllGood(world.access, world.stock, report, GIVE_UP_MS)
  if (took > RECOVERY_MS_MAX) report(`After the long outage: answered again only after ${Math.round(took)} ms.`)
  print(`  all answered again after ${Math.round(took)} ms`)
  await checkStock(world)
}

/** PostgreSQL, the identity provider and the service, which reaches its database through the link. */
const setUp = async (folder: DrillFolder, started: AsyncDisposableStack): Promise<World> => {
  const server = await makeDatabaseServer(folder)
  started.defer(server.close)
  const link = await openLink(server.port)
  started.defer(link.close)
  const provider = await startIdentityProvider()
  started.defer(() => provider.close())
  const port = await freePort()
  const variables = {
    ...environmentOf(folder.make('service'), port, provider),
    DATABASE_URL: `postgres://${ROLE.name}:${ROLE.password}@127.0.0.1:${link.port}/${ROLE.database}`,
    MINTMARK_WORKERS: String(options.workers),
    LOG_LEVEL: 'warn',
  }
  const access = await prepareAccess(variables, port, provider)
  const service = { name: 'service', program: process.execPath, args: [PROGRAM, 'serve'], variables, isHeard: true }
  const child = folder.launch(service)
  if ((await untilListening(child)) === 'ended') throw new Error('The service does not start: see its log.')
  child.once('exit', (code, signal) => report(`The service ended by itself, with ${signal ?? code}.`))
  started.defer(() => {
    child.removeAllListeners('exit')
    child.kill('SIGKILL')
  })
  await untilReady(port)
  return { server, link, access, stock: { live: [], ended: [] }, pid: child.pid ?? 0 }
}

const perform = async (started: AsyncDisposableStack, folder: DrillFolder): Promise<void> => {
  const world = await setUp(folder, started)
  const skipped = FAULTS.filter(({ needsDisk }) => needsDisk === true && !world.server.hasDisk)
  for (const { name } of skipped) print(`  ${name}: skipped, for only root may mount a small disk`)
  for (const fault of FAULTS.slice(0, options.faults)) {
    if (!skipped.includes(fault) && !isOver()) await endure(world, fault)
  }
  if (options.outage > 0 && !isOver()) await outlastLong(world)
}

const summary = (): string =>
  `${formatCount(struck)} faults, ${formatCount(asked)} answers, all answered again after ${Math.round(slowestMs)} ms at most`

await runDrill({ name: 'Database', options, violations, perform, summary })
