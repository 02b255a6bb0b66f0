// What exports cost: whole lists as streams, by processor time and memory, and introspection beside one of them.
import { request } from 'node:http'
import { startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { formatTable, median, percent, publish, type Row } from './figures.ts'
import { fillStore } from '../../testkit/stores/fill-store.ts'
import { runClosed } from './load.ts'
import { describeMachine, divideCores } from './machine.ts'
import { makeMintmarkLoads } from './mintmark-loads.ts'
import { install, type MintmarkServer, serve } from './servers/mintmark-server.ts'
import { readOptions } from '../options.ts'
import { memoryOf, processorSeconds } from '../../testkit/processes/process-costs.ts'
import { runBench } from './run-bench.ts'

const options = readOptions({
  live: 1_000_000,
  ended: 1_000_000,
  seconds: 2,
  rounds: 6,
  connections: 32,
  workers: 1,
  record: false,
})

const MEMORY_SAMPLE_MS = 20
const LISTS = ['tokens', 'history'] as const
const FORMATS = ['ndjson', 'csv'] as const

type Read = { readonly bytes: number; readonly lines: number }

const LINE_END = 10

/** Reads an export to its end, or until the signal; throws where it breaks off. */
const readExport = ({ port, apiKey }: MintmarkServer, path: string, signal?: AbortSignal): Promise<Read> =>
  new Promise((resolve, reject) => {
    const asked = request({ port, path, headers: { 'x-api-key': apiKey }, ...(signal && { signal }) }, response => {
      if (response.statusCode !== 200) return reject(new Error(`${path} answered ${response.statusCode}.`))
      let [bytes, lines] = [0, 0]
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines += 1
      })
      response.on('end', () => resolve({ bytes, lines }))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end()
  })

/** One export by the kernel's books. */
const measure = async (server: MintmarkServer, list: string, format: string): Promise<Row> => {
  const before = { ...memoryOf(server.pid), spent: processorSeconds(server.pid), at: performance.now() }
  let most = before.residentMiB
  const look = setInterval(() => {
    most = Math.max(most, memoryOf(server.pid).residentMiB)
  }, MEMORY_SAMPLE_MS)
  const { bytes, lines } = await readExport(server, `/api/v1/exports/${list}?format=${format}`)
  clearInterval(look)
  const seconds = (performance.now() - before.at) / 1000
  const spent = processorSeconds(server.pid) - before.spent
  const megabytes = bytes / 1e6
  return [
    `${list}, ${format}`,
    lines,
    megabytes,
    seconds,
    megabytes / seconds,
    (1e6 * spent) / lines,
    before.residentMiB,
    most,
  ]
}

/** The share of its rate that introspection keeps beside an export that is read as fast as it comes. */
const introspectBeside = async (server: MintmarkServer): Promise<number> => {
  const loads = await makeMintmarkLoads(server)
  const rate = async (): Promise<number> => {
    const { requests, seconds } = await runClosed(loads['introspect same'], options.connections, options.seconds * 1000)
    return requests / seconds
  }
  const kept: number[] = []
  for (let round = 0; round <= options.rounds; round += 1) {
    const alone = await rate()
    const enough = new AbortController()
    const exporting = (async () => {
      while (!enough.signal.aborted) await readExport(server, '/api/v1/exports/history', enough.signal)
    })().catch((error: unknown) => {
      if (!enough.signal.aborted) throw error
    })
    const beside = await rate()
    enough.abort()
    await exporting
    if (round > 0) kept.push(beside / alone)
  }
  return median(kept)
}

const run = async (): Promise<void> => {
  const cores = divideCores()
  const facts = describeMachine(cores)
  await using started = new AsyncDisposableStack()
  const provider = started.adopt(await startIdentityProvider(), one => one.close())
  const installation = started.adopt(await install(provider, options.workers), one => one.remove())
  console.error(`filling ${options.live} live, ${options.ended} ended`)
  fillStore(installation, { live: options.live, ended: options.ended, samples: 0 })
  const server = started.adopt(await serve(installation, { cores }), one => one.stop())
  const rows: Row[] = []
  for (const list of LISTS) for (const format of FORMATS) rows.push(await measure(server, list, format))
  const kept = await introspectBeside(server)
  const table = formatTable(
    ['export', 'lines', 'MB', 's', 'MB/s', 'processor µs a line', 'resident MiB before', 'most'],
    rows,
  )
  const verdict = `beside an export introspection keeps ${percent(kept)} of its rate`
  publish({ title: 'Exports', facts: [...facts, verdict], tables: [table] }, options.record)
}

await runBench(options, run)
