// How soon an API refuses a token that was revoked: the time from the response to the revocation to the first refusal, at introspection, at
// verifiers that follow the feed in Node and in Python, and at the gateway process. One token after another, on an idle service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { endChild } from '../../../testkit/processes/end-child.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { until } from '../../../testkit/processes/until.ts'
import { makeBound, readOptions } from '../../options.ts'
import { type Asker, askOnce, getRequest, openAsker } from '../connection.ts'
import { formatTable, median, publish, quantile } from '../figures.ts'
import { describeMachine } from '../machine.ts'
import { issueRequest, revokeRequest, takeRevoked, tokenIn } from '../mintmark-loads.ts'
import { runBench } from '../run-bench.ts'
import { install, type MintmarkServer, serve } from '../servers/mintmark-server.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PYTHON = join(ROOT, 'packages/python/.venv/bin/python')

const options = readOptions({ revocations: 1000, python: PYTHON, record: false })

type Watch = { readonly command: readonly string[]; readonly environment: NodeJS.ProcessEnv }

/** What a watcher saw of a token, in ms of CLOCK_MONOTONIC: when the last check that accepted it began, and when the first refusal was there. */
type Seen = { readonly acceptedAt: number; readonly refusedAt: number }

type Watcher = {
  /** Settles once the token was accepted; from then on it is looked at until it is refused. */
  readonly accept: (token: string) => Promise<void>
  readonly refusal: () => Promise<Seen>
  readonly end: () => Promise<void>
}

const watch = async ({ command, environment }: Watch): Promise<Watcher> => {
  const [file = '', ...args] = command
  const env = { PATH: process.env['PATH'], ...environment }
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`${command.join(' ')} ended by itself.`)
    return value
  }
  return {
    accept: async token => {
      child.stdin.write(`${token}\n`)
      const said = await next()
      if (said !== 'accepted') throw new Error(`A token was not accepted: ${said}`)
    },
    refusal: async () => JSON.parse(await next()) as Seen, // as the watchers of this folder write it
    end: () => endChild(child, 'SIGTERM'),
  }
}

const WATCH_IN_NODE = join(import.meta.dirname, 'watch.ts')
const WATCH_IN_PYTHON = join(import.meta.dirname, 'watch.py')
const GATEWAY = join(ROOT, 'packages/gateway/bin/mintmark-verify.js')

type Started = { readonly watcher: Watcher; readonly stop: () => Promise<void> }

const alone = (watcher: Watcher): Started => ({ watcher, stop: watcher.end })

const variablesOf = ({ baseUrl, apiKey, port }: MintmarkServer): NodeJS.ProcessEnv => ({
  ISSUER: baseUrl,
  API_KEY: apiKey,
  CHECK_PORT: String(port),
})

const inNode = (server: MintmarkServer, kind: string, more: NodeJS.ProcessEnv = {}): Promise<Watcher> =>
  watch({ command: [process.execPath, WATCH_IN_NODE, kind], environment: { ...variablesOf(server), ...more } })

const inPython = (server: MintmarkServer): Promise<Watcher> => {
  const environment = {
    ...variablesOf(server),
    PYTHONPATH: join(ROOT, 'packages/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  return watch({ command: [options.python, WATCH_IN_PYTHON], environment })
}

const isReady = async (port: number): Promise<boolean> => {
  try {
    return (await askOnce(port, getRequest('/readyz'))).status === 200
  } catch {
    return false
  }
}

const atGateway = async (server: MintmarkServer): Promise<Started> => {
  const port = await freePort()
  const args = ['--issuer', server.baseUrl, '--audience', server.baseUrl, '--scope', 'db:read']
  const child = spawn(process.execPath, [GATEWAY, 'serve', ...args, '--listen', `127.0.0.1:${port}`], {
    env: { PATH: process.env['PATH'], MINTMARK_VERIFY_API_KEY: server.apiKey },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await Promise.race([
    until('the gateway process is ready', () => isReady(port)),
    once(child, 'exit').then(() => Promise.reject(new Error('The gateway process ended by itself.'))),
  ])
  const watcher = await inNode(server, 'gateway', { CHECK_PORT: String(port) })
  const stop = async (): Promise<void> => {
    await watcher.end()
    await endChild(child, 'SIGTERM')
  }
  return { watcher, stop }
}

const PLACES: Readonly<Record<string, (server: MintmarkServer) => Promise<Started>>> = {
  introspection: async server => alone(await inNode(server, 'introspection')),
  'feed, @mintmark/verify': async server => alone(await inNode(server, 'feed')),
  'feed, mintmark-auth (Python)': async server => alone(await inPython(server)),
  'feed, mintmark-verify serve': atGateway,
}

type Delays = { readonly delays: readonly number[]; readonly lastAccepted: readonly number[] }

const now = (): number => Number(process.hrtime.bigint()) / 1e6

const measureOne = async (server: MintmarkServer, asker: Asker, watcher: Watcher) => {
  const token = tokenIn(await asker.ask(issueRequest(server)))
  await watcher.accept(token)
  takeRevoked(await asker.ask(revokeRequest(server, token)))
  const acknowledgedAt = now()
  const { acceptedAt, refusedAt } = await watcher.refusal()
  return { delay: Math.max(0, refusedAt - acknowledgedAt), accepted: acceptedAt - acknowledgedAt }
}

const WARM_UP = 50

const measure = async (server: MintmarkServer, { watcher }: Started): Promise<Delays> => {
  const asker = await openAsker(server.port)
  const isOver = makeBound(options)
  const found: { readonly delay: number; readonly accepted: number }[] = []
  try {
    for (let n = 0; n < WARM_UP; n += 1) await measureOne(server, asker, watcher)
    while (found.length < options.revocations && !isOver()) found.push(await measureOne(server, asker, watcher))
  } finally {
    asker.close()
  }
  return { delays: found.map(({ delay }) => delay), lastAccepted: found.map(({ accepted }) => accepted) }
}

const rowOf = (place: string, { delays, lastAccepted }: Delays) => {
  const sorted = delays.toSorted((a, b) => a - b)
  const late = lastAccepted.filter(ms => ms > 0).length
  return [
    place,
    delays.length.toLocaleString('en'),
    median(delays),
    quantile(sorted, 0.95),
    quantile(sorted, 0.99),
    sorted.at(-1) ?? 0,
    late.toLocaleString('en'),
  ]
}

const TITLES = ['ms after the response', 'revocations', 'p50', 'p95', 'p99', 'worst', 'accepted by a later check']

const measureAll = async (server: MintmarkServer) => {
  const rows: (readonly (string | number)[])[] = []
  for (const [place, start] of Object.entries(PLACES)) {
    if (place.includes('Python') && !existsSync(options.python)) {
      console.log(`Without ${options.python} there is no figure for Python: npm run test:python makes it.`)
      continue
    }
    const started = await start(server)
    try {
      rows.push(rowOf(place, await measure(server, started)))
    } finally {
      await started.stop()
    }
  }
  return rows
}

await runBench(options, async () => {
  const provider = await startIdentityProvider()
  const installation = await install(provider)
  const server = await serve(installation, { cores: null })
  try {
    const rows = await measureAll(server)
    publish({ title: 'Latency', facts: describeMachine(null), tables: [formatTable(TITLES, rows)] }, options.record)
  } finally {
    await server.stop()
    installation.remove()
    await provider.close()
  }
})
