// Whether anything grows with the number of tokens on PostgreSQL: a full store beside a small one, the same requests in turn;
// and what a token takes on disk.
import { TIMING } from '../../server/src/ports/timing.ts'
import { connectUnhurried } from '../../server/src/store/postgres/connection/primary.ts'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { withClient } from '../../testkit/databases/postgres-cluster.ts'
import { openAsker } from './connection.ts'
import { addressOf, type BenchDatabase, type DatabaseServer, findServer, makeDatabase } from './postgres/databases.ts'
import { type Asked, compareAll, type Compared, ratioOf, ratioVerdict } from './depth-questions.ts'
import { format, formatTable, publish, type Row } from './figures.ts'
import type { FilledStore } from '../../testkit/stores/fill-store.ts'
import { fillPostgres } from './postgres/fill-postgres.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { install, type Installation, serve } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { makePageRequests } from './pages.ts'
import {
  type Bytes,
  bytesEach,
  holeBytes,
  meterBackends,
  readBytes,
  readTouched,
  type Touched,
} from './postgres/postgres-costs.ts'
import { runBench } from './run-bench.ts'

const options = readOptions({
  live: 1_000_000,
  ended: 5_000_000,
  small: 100_000,
  samples: 500,
  pages: 41,
  record: false,
})

/** How many bytes a token may take in a closed partition. */
const LIVE_BYTES_MOST = 220
const ENDED_BYTES_MOST = 300

type Rows = { readonly live: number; readonly ended: number }

type Prepared = {
  readonly rows: Rows
  readonly database: BenchDatabase
  readonly installation: Installation
  readonly filled: FilledStore
  readonly bytes: readonly Bytes[]
  readonly touched: readonly Touched[]
}

type Store = Prepared & Asked & { readonly meter: () => number }

const report = (line: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`)

const touchedIn = async (database: BenchDatabase, filled: FilledStore): Promise<readonly Touched[]> => {
  const connection = await connectUnhurried({ address: addressOf(database), timing: TIMING })
  try {
    return await readTouched(connection, filled)
  } finally {
    await connection.close()
  }
}

const prepare = async (server: DatabaseServer, rows: Rows, started: AsyncDisposableStack): Promise<Prepared> => {
  report(`filling ${rows.live} live, ${rows.ended} ended`)
  const database = started.adopt(await makeDatabase(server), one => one.drop())
  const variables = {
    DATABASE_URL: database.url,
    MINTMARK_ALLOW_UNSAFE_DATABASE: addressOf(database).allowed.join(','),
  }
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, 1, variables), one => one.remove())
  const filled = await fillPostgres(database, installation, { ...rows, samples: options.samples }, report)
  const bytes = await withClient(database.url, readBytes)
  return { rows, database, installation, filled, bytes, touched: await touchedIn(database, filled) }
}

const open = async (prepared: Prepared, cores: Cores, started: AsyncDisposableStack): Promise<Store> => {
  const { installation, database } = prepared
  const server = started.adopt(await serve(installation, { cores }), one => one.stop())
  const asker = started.adopt(await openAsker(server.port), one => one.close())
  const pages = await makePageRequests(server, asker, prepared)
  const meter = await withClient(database.url, client => meterBackends(client, database.name))
  return { ...prepared, server, asker, pages, meter }
}

const byteRows = ({ rows, bytes }: Prepared): readonly Row[] =>
  bytes.flatMap(one => {
    const title = `${rows.live.toLocaleString('en')} live: \`${one.table}\`, ${one.isPacked ? 'closed and packed' : 'as written'}`
    return [
      [title, one.rows, bytesEach(one)],
      ...[...one.parts].map(([part, size]): Row => [`· ${part}`, '', size / one.rows]),
      ...(holeBytes(one) > 0 ? [['· of these: holes', '', holeBytes(one) / one.rows]] : []),
    ]
  })

const touchedRows = (small: Store, full: Store): readonly Row[] =>
  full.touched.map(({ name, pages, ms }, n) => {
    const { pages: few = Number.NaN, ms: short = Number.NaN } = small.touched[n] ?? {}
    return [name, few, pages, pages / few, short, ms]
  })

const packedIn = (bytes: readonly Bytes[], table: string): Bytes | undefined =>
  bytes.find(one => one.table === table && one.isPacked)

const bytesVerdict = (title: string, each: number, most: number): string =>
  `${title}: ${format(each)} bytes, at most ${most}: ${each <= most ? 'reached' : 'NOT reached'}`

/** What a token leaves behind in `token` where it is ended early belongs to what that token costs, not to the others. */
const bytesVerdicts = (bytes: readonly Bytes[]): readonly string[] => {
  const [live, ended] = [packedIn(bytes, 'token'), packedIn(bytes, 'ended')]
  if (live === undefined || ended === undefined) return ['no partition is closed']
  const endings = bytes.filter(({ table }) => table === 'ended').reduce((sum, { rows }) => sum + rows, 0)
  const holes = bytes.reduce((sum, one) => sum + holeBytes(one), 0) / endings
  return [
    bytesVerdict(
      'closed partition, a token that was not ended early',
      bytesEach(live) - holeBytes(live) / live.rows,
      LIVE_BYTES_MOST,
    ),
    bytesVerdict(
      `closed partition, a token that was ended early, with ${format(holes)} bytes of the holes that such tokens leave in \`token\` while its day is kept`,
      bytesEach(ended) + holes,
      ENDED_BYTES_MOST,
    ),
  ]
}

const verdictOf = (compared: readonly Compared[], { bytes }: Prepared): readonly string[] => {
  return [ratioVerdict(compared), ...bytesVerdicts(bytes)]
}

/** The plan of the statement that looks at the most pages beside the small store. */
const worstPlan = (small: Store, full: Store): string => {
  const [worst] = full.touched
    .map((one, n) => ({ ...one, ratio: one.pages / (small.touched[n]?.pages ?? Number.NaN) }))
    .toSorted((a, b) => b.ratio - a.ratio || b.pages - a.pages)
  return worst === undefined ? '' : `Most pages beside the small store: ${worst.name}\n\n\`\`\`\n${worst.plan}\n\`\`\``
}

const tablesOf = (small: Store, full: Store, compared: readonly Compared[]): readonly string[] => [
  formatTable(
    ['median of one request at a time', 'small, ms', 'full, ms', 'ratio', 'small, µs of PostgreSQL', 'full, µs'],
    compared.map(one => [one.name, one.small.ms, one.full.ms, ratioOf(one), one.small.metered, one.full.metered]),
  ),
  formatTable(
    ['one statement of a list', 'small, pages', 'full, pages', 'ratio', 'small, ms', 'full, ms'],
    touchedRows(small, full),
  ),
  formatTable(['bytes a row', 'rows', 'bytes'], [...byteRows(full), ...byteRows(small)]),
  worstPlan(small, full),
]

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const server = await findServer(process.env['DATABASE_URL'] ?? '')
  const share = options.live / (options.live + options.ended)
  const live = Math.round(options.small * share)
  // Both are filled before either serves: a server closes a connection that is idle for as long as the larger fill takes.
  const prepared = [
    await prepare(server, { live, ended: options.small - live }, started),
    await prepare(server, { live: options.live, ended: options.ended }, started),
  ] as const
  const small = await open(prepared[0], cores, started)
  const full = await open(prepared[1], cores, started)
  const compared = await compareAll({ small, full }, options, report, store => store.meter())
  const filled = `filled in ${format(small.filled.seconds)} and ${format(full.filled.seconds)} s`
  const lines = [...facts, `PostgreSQL: ${server.settings}`, filled, ...verdictOf(compared, full)]
  publish({ title: 'Depth on PostgreSQL', facts: lines, tables: tablesOf(small, full, compared) }, options.record)
}

await runBench(options, run)
