// What a request costs where the store is on PostgreSQL, beside the embedded store in the same run: the service's processor
// time, and the database's beside it; and what it costs that look-ups wait for a synchronous standby.
import { openLink } from '../../testkit/proxies/link.ts'
import { freePort } from '../../testkit/processes/free-port.ts'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { keepAwake } from './awake.ts'
import { format, formatTable, median, publish } from './figures.ts'
import { runClosed, type Tally } from './load.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { makeMintmarkLoads, type MintmarkLoads, type Operation } from './mintmark-loads.ts'
import { install, type Installation, serve } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { type BenchPostgres, startPostgres } from './postgres/postgres-server.ts'
import { microsecondsOf } from './rounds.ts'
import { runBench } from './run-bench.ts'
import type { Variables } from './servers/server-process.ts'

const options = readOptions({
  seconds: 1.5,
  rounds: 8,
  warmups: 4,
  connections: 64,
  workers: 1,
  // Milliseconds that everything takes between service and database, each way; without it they share a socket.
  delay: 0,
  only: '',
  // The cores of the services may sleep where they have nothing to do.
  sleep: false,
  record: false,
})

const OPERATIONS: readonly Operation[] = ['issue', 'introspect fresh', 'introspect same', 'revoke']
const FIRST_RATE_PER_SECOND = 3000
const POOL_MARGIN = 1.3

type Store = 'embedded' | 'PostgreSQL' | 'fenced' | 'unfenced'

type Slice = Tally & { readonly databaseSeconds: number }

/** A service, and what is measured of it. */
type Served = {
  readonly store: Store
  readonly loads: MintmarkLoads
  readonly database: BenchPostgres | null
  readonly operations: readonly Operation[]
}

type Series = {
  readonly operation: Operation
  readonly by: Served
  readonly slices: Slice[]
  ratePerSecond: number
}

const rateOf = ({ requests, seconds }: Tally): number => requests / seconds

const databaseMicroseconds = ({ databaseSeconds, requests }: Slice): number => (1e6 * databaseSeconds) / requests

// With all indexes, as they were written: packing them is for partitions that are closed.
const BYTES = `select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'token'::regclass) as bytes,
  (select count(*) from token) as tokens`

const bytesOf = async ({ query }: BenchPostgres): Promise<string> => {
  const [found] = await query(BYTES)
  const tokens = Number(found?.['tokens'])
  return `live tokens on PostgreSQL: ${tokens}, ${Math.round(Number(found?.['bytes']) / tokens)} bytes each on disk with all indexes`
}

/** How a service reaches the database: over its socket, or over a link that delays. */
const routeTo = async (database: BenchPostgres | null, started: AsyncDisposableStack): Promise<Variables> => {
  if (database === null || options.delay === 0) return {}
  const link = started.adopt(await openLink(database.port), one => one.close())
  link.delay(options.delay)
  return { DATABASE_URL: `postgres://mintmark@127.0.0.1:${link.port}/bench?sslmode=disable` }
}

/** Services on three stores; with a standby two, of which one lets look-ups wait for it and the other does not. */
const startServices = async (cores: Cores, started: AsyncDisposableStack): Promise<readonly Served[]> => {
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installOn = async (database: BenchPostgres | null): Promise<Installation> => {
    const variables = database === null ? {} : { DATABASE_URL: database.url }
    return started.adopt(await install(provider, options.workers, variables), one => one.remove())
  }
  const begin = async (
    store: Store,
    installation: Installation,
    database: BenchPostgres | null,
    more: Variables = {},
  ): Promise<Served> => {
    const variables = { ...(await routeTo(database, started)), ...more }
    const server = started.adopt(await serve(installation, { cores, variables }), one => one.stop())
    const operations: readonly Operation[] = database?.hasStandby === true ? ['introspect fresh'] : OPERATIONS
    return { store, loads: await makeMintmarkLoads(server), database, operations }
  }
  const alone = started.adopt(await startPostgres({ standby: false }), one => one.stop())
  const paired = started.adopt(await startPostgres({ standby: true }), one => one.stop())
  const [one, other] = [await installOn(alone), await installOn(paired)]
  const again = { ...other, port: await freePort() }
  return [
    await begin('embedded', await installOn(null), null),
    await begin('PostgreSQL', one, alone),
    await begin('fenced', other, paired),
    await begin('unfenced', again, paired, { PORT: String(again.port), MINTMARK_FENCED_READS: 'off' }),
  ]
}

const measure = async (series: Series): Promise<Slice> => {
  const { operation, by } = series
  const { loads, database } = by
  const drains = operation === 'introspect fresh' || operation === 'revoke'
  if (drains) {
    await loads.fillPool(Math.ceil(series.ratePerSecond * options.seconds * POOL_MARGIN), options.connections)
  }
  const before = database?.processorSeconds() ?? 0
  const tally = await runClosed(loads[operation], options.connections, 1000 * options.seconds)
  series.ratePerSecond = rateOf(tally)
  return { ...tally, databaseSeconds: (database?.processorSeconds() ?? 0) - before }
}

// The stores of one operation stand side by side in time, and take turns in being the first.
const inTurn = (allSeries: readonly Series[], round: number): readonly Series[] =>
  OPERATIONS.flatMap(operation => {
    const beside = allSeries.filter(series => series.operation === operation)
    const first = round % Math.max(1, beside.length)
    return [...beside.slice(first), ...beside.slice(0, first)]
  })

const measureAll = async (allSeries: readonly Series[]): Promise<void> => {
  const { warmups, rounds } = options
  for (let round = 0; round < warmups + rounds; round += 1) {
    console.error(round < warmups ? `warm-up ${round + 1} of ${warmups}` : `round ${round - warmups + 1} of ${rounds}`)
    for (const series of inTurn(allSeries, round)) {
      const slice = await measure(series)
      if (round >= warmups) series.slices.push(slice)
    }
  }
}

const seriesTable = (allSeries: readonly Series[]): string =>
  formatTable(
    ['operation', 'store', 'service µs', 'PostgreSQL µs', 'requests/s', 'service busy'],
    allSeries.map(({ operation, by: { store, database }, slices }) => [
      operation,
      store,
      median(slices.map(microsecondsOf)),
      database === null ? Number.NaN : median(slices.map(databaseMicroseconds)),
      median(slices.map(rateOf)),
      median(slices.map(slice => slice.processorSeconds / slice.seconds)),
    ]),
  )

type Mark = {
  readonly operation: Operation
  readonly of: Store
  readonly by: Store
  readonly what: 'a core' | 'a second'
  readonly atLeast: number | null
}

const MARKS: readonly Mark[] = [
  { operation: 'issue', of: 'PostgreSQL', by: 'embedded', what: 'a core', atLeast: 0.8 },
  { operation: 'introspect fresh', of: 'PostgreSQL', by: 'embedded', what: 'a core', atLeast: 0.8 },
  { operation: 'introspect same', of: 'PostgreSQL', by: 'embedded', what: 'a core', atLeast: 0.8 },
  { operation: 'revoke', of: 'PostgreSQL', by: 'embedded', what: 'a core', atLeast: null },
  { operation: 'introspect fresh', of: 'fenced', by: 'unfenced', what: 'a second', atLeast: 0.5 },
  { operation: 'introspect fresh', of: 'fenced', by: 'unfenced', what: 'a core', atLeast: null },
]

const done: Readonly<Record<Mark['what'], (slice: Slice) => number>> = {
  'a core': slice => slice.requests / slice.processorSeconds,
  'a second': rateOf,
}

const judge = (allSeries: readonly Series[], { operation, of, by, what, atLeast }: Mark): (string | number)[] => {
  const slicesOf = (store: Store): readonly Slice[] =>
    allSeries.find(series => series.by.store === store && series.operation === operation)?.slices ?? []
  const below = slicesOf(by)
  // Slices of one round stand a few seconds apart: their ratio feels less of the neighbors than one of two medians.
  const ratios = slicesOf(of).map((slice, round) => done[what](slice) / done[what](below[round] ?? slice))
  const ratio = median(ratios)
  const verdict = ratio >= (atLeast ?? 0) ? 'reached' : 'NOT reached'
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
  const wanted = atLeast === null ? 'none' : `at least ${format(atLeast)}`
  return [`${operation}, ${of} ÷ ${by}, ${what}`, wanted, ratio, range, atLeast === null ? '' : verdict]
}

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const served = await startServices(cores, started)
  const awake = started.adopt(keepAwake(options.sleep ? null : cores), one => one.end())
  const wanted = options.only === '' ? OPERATIONS : options.only.split(',').map(name => name.trim())
  const allSeries = OPERATIONS.filter(one => wanted.includes(one)).flatMap(operation =>
    served
      .filter(({ operations }) => operations.includes(operation))
      .map((by): Series => ({ operation, by, slices: [], ratePerSecond: FIRST_RATE_PER_SECOND })),
  )
  await measureAll(allSeries)
  const alone = served.find(({ store }) => store === 'PostgreSQL')?.database
  const about = [
    'requests served by a core of the service in one store, by those in the other: medians of the ratios of each round',
  ]
  const marks = MARKS.filter(({ operation }) => wanted.includes(operation)).map(mark => judge(allSeries, mark))
  const tables = [seriesTable(allSeries), formatTable(['mark', 'wanted', 'measured', 'range', 'verdict'], marks)]
  const bytes = alone === null || alone === undefined ? [] : [await bytesOf(alone)]
  publish(
    {
      title: `On PostgreSQL, ${new Date().toISOString().slice(0, 10)}`,
      facts: [...facts, awake.fact, ...bytes, ...about],
      tables,
    },
    options.record,
  )
}

await runBench(options, run)
