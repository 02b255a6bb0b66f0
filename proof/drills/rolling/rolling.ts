// The rolling drill: two replicas behind HAProxy are restarted one after another under load, over the schema of today and
// over those of later versions, and nobody who asks may notice. docs/development/drills.md says what it shows and what it cannot.
import { TIMING } from '../../../server/src/ports/timing.ts'
import { applyMigrations, type Migration, MIGRATIONS } from '../../../server/src/store/postgres/schema/migrations.ts'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { makeTestDatabase } from '../../../testkit/databases/postgres-cluster.ts'
import { addressOf, withConnection } from '../../../testkit/databases/postgres-store.ts'
import { formatTable, publish } from '../../bench/figures.ts'
import { describeMachine } from '../../bench/machine.ts'
import { makeBound } from '../../options.ts'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { CANNOT_RUN, formatCount, print, readOptions, runDrill } from '../drill.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { findBalancer, startBalancer } from './balancer.ts'
import { type Callers, startCallers } from './callers.ts'
import { makeRollingReplica, type RollingReplica } from './rolling-replica.ts'
import type { Access } from '../requests.ts'
import { environmentOf, prepareAccess, untilReady } from '../service-under-drill.ts'

const options = readOptions({ rounds: 2, callers: 16, drain: 5, workers: 1, record: false })
const isOver = makeBound(options)
const violations: string[] = []
const report = (violation: string): void => void violations.push(violation)
let [restarts, answers] = [0, 0]

type Stage = {
  readonly access: Access
  readonly replicas: readonly RollingReplica[]
  /** The name of the one that they share. */
  readonly database: string
}

/** The migrations before each round but the first: a single one may by chance meet no request in progress. */
const MIGRATIONS_A_ROUND = 10

// What later versions may do to the tables under a program of this one: add.
const LATER: readonly Migration[] = Array.from({ length: options.rounds * MIGRATIONS_A_ROUND }, (_, n) => ({
  name: `later ${n}`,
  sql: `alter table agent add column later_${n} integer; alter table token add column later_${n} integer`,
  oldestProgram: 1,
}))

/** One after another, as `mintmark migrate` of each of these versions would. */
const migrateBefore = async (round: number, database: string): Promise<void> => {
  const [began, address] = [performance.now(), await addressOf(database)]
  for (let done = (round - 2) * MIGRATIONS_A_ROUND; done < (round - 1) * MIGRATIONS_A_ROUND; done += 1) {
    const migrations = [...MIGRATIONS, ...LATER.slice(0, done + 1)]
    await withConnection(address, connection =>
      applyMigrations(connection, { madeBy: 'migrate', now: Date.now(), timing: TIMING, migrations }),
    )
  }
  print(`  ${MIGRATIONS_A_ROUND} migrations in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

/** Everything, started: PostgreSQL, the identity provider, two replicas, the balancer. */
const setUp = async (balancerProgram: string, started: AsyncDisposableStack, folder: DrillFolder): Promise<Stage> => {
  const database = await makeTestDatabase()
  const provider = await startIdentityProvider()
  started.defer(() => provider.close())
  const [port, first, second] = [await freePort(), await freePort(), await freePort()]
  const variables = {
    ...environmentOf(folder.make('service'), port, provider),
    DATABASE_URL: database.url,
    // The PostgreSQL of the tests: what a disk keeps is for other drills.
    MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
    MINTMARK_DRAIN_SECONDS: String(options.drain),
    MINTMARK_WORKERS: String(options.workers),
  }
  const access = await prepareAccess(variables, port, provider)
  const replicas = [
    makeRollingReplica('mintmark-1', first, variables),
    makeRollingReplica('mintmark-2', second, variables),
  ]
  for (const replica of replicas) started.defer(replica.kill)
  await Promise.all(replicas.map(replica => replica.start()))
  const balancer = await startBalancer(balancerProgram, port, [first, second], report)
  started.defer(balancer.close)
  return { access, replicas, database: database.name }
}

const restart = async (replica: RollingReplica, callers: Callers): Promise<void> => {
  const [began, before] = [performance.now(), callers.answers()]
  const wrong = await replica.stop()
  if (wrong !== undefined) report(wrong)
  await replica.start()
  restarts += 1
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  print(`  ${replica.name} restarted in ${seconds} s, ${formatCount(callers.answers() - before)} answers meanwhile`)
}

const roll = async ({ replicas, database }: Stage, callers: Callers): Promise<void> => {
  for (let round = 1; round <= options.rounds && !isOver(); round += 1) {
    if (round > 1) await migrateBefore(round, database)
    print(`  round ${round}${round > 1 ? ', over the schema of a later version' : ''}`)
    for (const replica of replicas) await restart(replica, callers)
  }
}

const perform = async (balancerProgram: string, started: AsyncDisposableStack, folder: DrillFolder): Promise<void> => {
  const stage = await setUp(balancerProgram, started, folder)
  await untilReady(stage.access.port, '/.well-known/jwks.json')
  const callers = startCallers(stage.access, options.callers, report)
  try {
    await roll(stage, callers)
  } finally {
    await callers.stop()
    answers = callers.answers()
  }
  if (answers < restarts * options.callers) report('So little was answered that nothing was tested.')
}

const TITLES = ['replicas behind a balancer, restarted one after another', 'restarts', 'answers', 'failed']

const keep = (): void => {
  const counts = [restarts, answers, violations.length].map(formatCount)
  const rows = [['under load, then over the schemas of later versions', ...counts]]
  publish({ title: 'Rolling', facts: describeMachine(null), tables: [formatTable(TITLES, rows)] }, options.record)
}

const program = findBalancer()
if (program === undefined) {
  print('This machine lacks HAProxy (Debian: haproxy).')
  process.exitCode = CANNOT_RUN
} else {
  await runDrill({
    name: 'Rolling',
    options,
    violations,
    perform: (started, folder) => perform(program, started, folder),
    summary: () => `${formatCount(restarts)} restarts, ${formatCount(answers)} answers`,
  })
  keep()
}
