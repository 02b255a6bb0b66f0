// What a request costs where the store is on PostgreSQL: the service's processor time, and the database's beside it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startIdentityProvider } from '../test/support/identity-provider.ts'
import { makeTestDatabase, runStatement, testCluster } from '../test/support/postgres-cluster.ts'
import { formatTable, median, publish } from './figures.ts'
import { runClosed, type Tally } from './load.ts'
import { describeMachine, divideCores } from './machine.ts'
import { makeMintmarkLoads, type Operation } from './mintmark-loads.ts'
import { install, serve } from './mintmark-server.ts'
import { readOptions } from './options.ts'
import { processorSeconds } from './process-costs.ts'
import { runBench } from './run-bench.ts'

const options = readOptions({ seconds: 2, rounds: 5, connections: 64, workers: 1, record: false })
const OPERATIONS: readonly Operation[] = ['issue', 'introspect fresh', 'revoke']
const POOL = 20_000

type Slice = Tally & { readonly databaseSeconds: number }

const postgresPid = ({ socketFolder }: { readonly socketFolder: string }): number =>
  Number(readFileSync(join(socketFolder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])

const microseconds = (slices: readonly Slice[], of: (slice: Slice) => number): number =>
  median(slices.map(slice => (1e6 * of(slice)) / slice.requests))

// With all indexes, as they were written: packing them is for partitions that are closed.
const BYTES = `select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'token'::regclass) as bytes,
  (select count(*) from token) as tokens`

const bytesOf = async (url: string): Promise<string> => {
  const [found] = await runStatement(url, BYTES)
  const tokens = Number(found?.['tokens'])
  return `live tokens: ${tokens}, ${Math.round(Number(found?.['bytes']) / tokens)} bytes each on disk with all indexes`
}

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const database = started.adopt(await makeTestDatabase(), one => one.drop())
  const pid = postgresPid(await testCluster())
  // The PostgreSQL of the tests: what the disk takes is no processor time.
  const variables = { DATABASE_URL: database.url, MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes' }
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, options.workers, variables), one => one.remove())
  const server = started.adopt(await serve(installation, { cores }), one => one.stop())
  const loads = await makeMintmarkLoads(server)
  const slices = new Map<Operation, Slice[]>(OPERATIONS.map(operation => [operation, []]))
  for (let round = 0; round <= options.rounds; round += 1) {
    console.error(round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`)
    for (const operation of OPERATIONS) {
      await loads.fillPool(POOL, options.connections)
      const before = processorSeconds(pid)
      const tally = await runClosed(loads[operation], options.connections, 1000 * options.seconds)
      if (round > 0) slices.get(operation)?.push({ ...tally, databaseSeconds: processorSeconds(pid) - before })
    }
  }
  const rows = [...slices].map(([operation, all]) => [
    operation,
    microseconds(all, slice => slice.processorSeconds),
    microseconds(all, slice => slice.databaseSeconds),
    median(all.map(slice => slice.requests / slice.seconds)),
  ])
  const table = formatTable(['operation', 'service µs', 'PostgreSQL µs', 'requests/s'], rows)
  publish({ title: 'On PostgreSQL', facts: [...facts, await bytesOf(database.url)], tables: [table] }, options.record)
}

await runBench(run)
