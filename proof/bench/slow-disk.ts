// Whether a slow disk stops those who do not write: introspection beside a steady trickle of issues, on a fast disk and
// on one whose every sync takes 10 ms (servers/slow-sync.c, preloaded), and whether issues then leave in groups. Linux with cc.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { formatTable, median, percent, publish } from './figures.ts'
import { runClosed, runOpen, type Tally } from './load.ts'
import { type Cores, describeMachine, divideCores } from './machine.ts'
import { makeMintmarkLoads, type MintmarkLoads } from './mintmark-loads.ts'
import { install, serve } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { runBench } from './run-bench.ts'
import { makeFolder, removeFolder, type Variables } from './servers/server-process.ts'

const options = readOptions({
  delay: 10,
  seconds: 2,
  rounds: 6,
  connections: 32,
  'issues-per-second': 200,
  workers: 0,
  record: false,
})

const KEPT_LEAST = 0.8

const compileShim = (folder: string): string => {
  const library = join(folder, 'slow-sync.so')
  const source = join(import.meta.dirname, 'servers/slow-sync.c')
  const { status, stderr, error } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source], {
    encoding: 'utf8',
  })
  if (status !== 0)
    throw new Error(`The slow disk is a C library, and cc did not build it: ${error?.message ?? stderr}`)
  return library
}

const start = async (variables: Variables, cores: Cores, started: AsyncDisposableStack): Promise<MintmarkLoads> => {
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, options.workers), one => one.remove())
  const server = started.adopt(await serve(installation, { cores, variables }), one => one.stop())
  return makeMintmarkLoads(server)
}

type Slice = { readonly introspected: Tally; readonly issued: Tally }

/** Introspection as fast as it goes while issues arrive at a fixed rate, then issues as fast as they go. */
const measure = async (loads: MintmarkLoads): Promise<Slice> => {
  const { seconds, connections } = options
  const trickle = { connections, seconds, ratePerSecond: options['issues-per-second'] }
  const [introspected] = await Promise.all([
    runClosed(loads['introspect same'], connections, seconds * 1000),
    runOpen(loads.issue, trickle),
  ])
  return { introspected, issued: await runClosed(loads.issue, connections, seconds * 1000) }
}

const rateOf = ({ requests, seconds }: Tally): number => requests / seconds

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const folder = started.adopt(makeFolder(), removeFolder)
  const shim = { LD_PRELOAD: compileShim(folder), BENCH_SYNC_DELAY_MS: String(options.delay) }
  const [fast, slow] = [await start({}, cores, started), await start(shim, cores, started)]
  const slices: { readonly fast: Slice; readonly slow: Slice }[] = []
  for (let round = 0; round <= options.rounds; round += 1) {
    console.error(round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`)
    const slice = { fast: await measure(fast), slow: await measure(slow) }
    if (round > 0) slices.push(slice)
  }
  const of = (disk: 'fast' | 'slow', kind: keyof Slice): number =>
    median(slices.map(slice => rateOf(slice[disk][kind])))
  const kept = of('slow', 'introspected') / of('fast', 'introspected')
  const perSync = (of('slow', 'issued') * options.delay) / 1000
  const table = formatTable(
    ['disk', 'introspections/s', 'issues/s alone'],
    [
      ['fast', of('fast', 'introspected'), of('fast', 'issued')],
      [`each sync ${options.delay} ms`, of('slow', 'introspected'), of('slow', 'issued')],
    ],
  )
  const verdicts = [
    `beside ${options['issues-per-second']} issues/s introspection keeps ${percent(kept)} of its rate (at least ${percent(KEPT_LEAST)}: ${kept >= KEPT_LEAST ? 'reached' : 'NOT reached'})`,
    `issues leave in groups of ${perSync.toFixed(1)} or more on the slow disk (${options.connections} connections)`,
  ]
  publish({ title: 'Slow disk', facts: [...facts, ...verdicts], tables: [table] }, options.record)
}

await runBench(options, run)
