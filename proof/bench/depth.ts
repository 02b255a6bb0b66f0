// Whether anything grows with the number of tokens: a full store beside a small one, the same requests in turn.
import { statSync } from 'node:fs'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { openAsker } from './connection.ts'
import { type Asked, compareAll, type Compared, ratioOf, ratioVerdict } from './depth-questions.ts'
import { format, formatTable, publish, type Row } from './figures.ts'
import { type FilledStore, fillStore, tableBytes } from '../../testkit/stores/fill-store.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { install, type Installation, serve } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { runBench } from './run-bench.ts'
import { makePageRequests } from './pages.ts'
import { memoryOf } from '../../testkit/processes/process-costs.ts'

const options = readOptions({
  live: 1_000_000,
  ended: 2_000_000,
  small: 100_000,
  samples: 1000,
  pages: 31,
  workers: 0,
  record: false,
})

/** How much memory a process may hold. */
const RESIDENT_MIB_MOST = 250

type Rows = { readonly live: number; readonly ended: number }

type Content = {
  readonly rows: Rows
  readonly filled: FilledStore
  readonly bytes: number
  readonly tables: ReadonlyMap<string, number>
}

type Store = Asked & Content

const report = (line: string): void => console.error(line)

type Prepared = { readonly installation: Installation; readonly content: Content }

const fill = (installation: Installation, rows: Rows): Content => {
  report(`filling ${rows.live} live, ${rows.ended} ended`)
  const filled = fillStore(installation, { ...rows, samples: options.samples })
  const { databaseFile } = installation
  return { rows, filled, bytes: statSync(databaseFile).size, tables: tableBytes(databaseFile) }
}

const prepare = async (rows: Rows, started: AsyncDisposableStack): Promise<Prepared> => {
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, options.workers), one => one.remove())
  return { installation, content: fill(installation, rows) }
}

const open = async (
  { installation, content }: Prepared,
  cores: Cores,
  started: AsyncDisposableStack,
): Promise<Store> => {
  const server = started.adopt(await serve(installation, { cores }), one => one.stop())
  const asker = started.adopt(await openAsker(server.port), one => one.close())
  return { ...content, server, asker, pages: await makePageRequests(server, asker, content) }
}

const storeRow = ({ rows, filled, bytes, tables, server }: Store): Row => {
  const early = Math.ceil(rows.ended / 2)
  const { residentMiB, residentPeakMiB } = memoryOf(server.pid)
  return [
    `${rows.live.toLocaleString('en')} live, ${rows.ended.toLocaleString('en')} ended`,
    bytes / 2 ** 20,
    bytes / (rows.live + rows.ended),
    (tables.get('token') ?? 0) / (rows.live + rows.ended - early),
    (tables.get('ended') ?? 0) / early,
    residentMiB,
    residentPeakMiB,
    filled.seconds,
  ]
}

const verdictOf = (compared: readonly Compared[], full: Store): readonly string[] => {
  const { residentPeakMiB } = memoryOf(full.server.pid)
  return [
    ratioVerdict(compared),
    `resident memory under ${RESIDENT_MIB_MOST} MiB: ${residentPeakMiB < RESIDENT_MIB_MOST ? 'reached' : 'NOT reached'} (${format(residentPeakMiB)} at most)`,
  ]
}

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const share = options.live / (options.live + options.ended)
  const live = Math.round(options.small * share)
  // Both are filled before either serves: a server closes a connection that is idle for as long as the larger fill takes.
  const prepared = [
    await prepare({ live, ended: options.small - live }, started),
    await prepare({ live: options.live, ended: options.ended }, started),
  ] as const
  const small = await open(prepared[0], cores, started)
  const full = await open(prepared[1], cores, started)
  const compared = await compareAll({ small, full }, options, report)
  const stores = formatTable(
    ['store', 'MiB', 'bytes a token', 'in `token`', 'in `ended`', 'resident MiB', 'peak MiB', 'filled in s'],
    [small, full].map(storeRow),
  )
  const medians = formatTable(
    ['median of one request at a time', 'small, ms', 'full, ms', 'ratio'],
    compared.map(one => [one.name, one.small.ms, one.full.ms, ratioOf(one)]),
  )
  publish(
    { title: 'Depth', facts: [...facts, ...verdictOf(compared, full)], tables: [stores, medians] },
    options.record,
  )
}

await runBench(options, run)
