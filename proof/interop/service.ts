// A real `mintmark serve` on a store of its own, with an agent and an API key made by the command line.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeTestDatabase } from '../../testkit/databases/postgres-cluster.ts'
import { signPeopleIn, startProvider, trustProvider } from './people.ts'

const PROGRAM = resolve(import.meta.dirname, '../../server/src/main.ts')
/** What the followers of the revocation feed are tried against where a real service cannot be made to fail. */
const PUBLISHER = resolve(import.meta.dirname, '../../testkit/feed/publisher.ts')
const READY_WITHIN_MS = 60_000
const TRY_EVERY_MS = 100
const ANSWER_WITHIN_MS = 5_000

/** What a suite finds in its environment. */
export type Surroundings = Readonly<Record<string, string>>

export type RunningService = { readonly surroundings: Surroundings; readonly stop: () => Promise<void> }

export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return port
}

export const untilAnswering = async (address: string, process: ChildProcess): Promise<void> => {
  const giveUpAt = Date.now() + READY_WITHIN_MS
  while (Date.now() < giveUpAt && process.exitCode === null && process.signalCode === null) {
    const status = await fetch(address, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
      response => response.status,
      () => 0,
    )
    // A gateway that listens before it has read its routes answers 404.
    if (status > 0 && status < 500 && status !== 404) return
    await delay(TRY_EVERY_MS)
  }
  throw new Error(`Nothing answers at ${address}.`)
}

export const end = async (process: ChildProcess): Promise<void> => {
  if (process.exitCode !== null || process.signalCode !== null) return
  const closed = once(process, 'close')
  process.kill('SIGTERM')
  await closed
}

const AGENT = ['--scope', 'db:read db:write', '--default-scope', 'db:read', '--resource', '*']
/** The resource server of the suites, which exchanges the tokens that are sent to it. */
const ORDERS = 'https://orders.example/v1'
/** For tokens that are bound to a certificate: anybody on this machine may say which one a client showed. */
const CERTIFICATES = {
  MINTMARK_TRUSTED_PROXIES: '127.0.0.1',
  MINTMARK_CLIENT_CERT_HEADER: 'Client-Cert rfc9440',
  MINTMARK_CLIENT_CERT_CHAIN: 'unverified',
}
/** The keys of the development identity provider are on this machine. */
const KEYS_ON_LOOPBACK = { MINTMARK_CLIENT_KEYS_ALLOWED_RANGES: '127.0.0.0/8' }
const SIGNING_KID = 'interop'
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

type Credentials = { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }
type ApiKey = { readonly api_key_id: string; readonly api_key: string }

export type ServiceStore = 'sqlite' | 'postgres'

/** What was started, and is ended in reverse. */
type Started = AsyncDisposableStack

/** The variables of the service that name its store. The PostgreSQL of the tests does without fsync. */
const openStore = async (store: ServiceStore, started: Started): Promise<Surroundings> => {
  if (store === 'sqlite') return {}
  const { url, drop } = await makeTestDatabase()
  started.defer(drop)
  return { DATABASE_URL: url, MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes' }
}

const makeFolder = (started: Started): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-interop-'))
  started.defer(() => rmSync(folder, { recursive: true }))
  return folder
}

type Place = { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv }

/** Runs a program of Node until what was started is ended. */
const startProgram = (args: readonly string[], place: Place, started: Started): ChildProcess => {
  const program = spawn(process.execPath, args, { ...place, stdio: ['ignore', 'ignore', 'inherit'] })
  started.defer(() => end(program))
  return program
}

/** Starts what publishes a revocation feed as the service does, and returns its address. */
const startPublisher = async (started: Started): Promise<string> => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  await untilAnswering(`${address}/jwks`, startProgram([PUBLISHER, String(port)], {}, started))
  return address
}

/** Gives the service a key that the suites know too: what it publishes can then sign what it never issued, as an ID token. */
const importKey = (run: (pem: string) => void): string => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
  run(pem)
  return pem
}

/** `settings` are variables of the service, beside those that it needs. Where it does not start, nothing of it stays. */
export const startService = async (
  settings: Surroundings = {},
  store: ServiceStore = 'sqlite',
): Promise<RunningService> => {
  await using started = new AsyncDisposableStack()
  const named = await openStore(store, started)
  const folder = makeFolder(started)
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const provider = await startProvider(issuer, started)
  const env = {
    ...process.env,
    ...CERTIFICATES,
    ...KEYS_ON_LOOPBACK,
    ...settings,
    ...named,
    MINTMARK_DATA_DIR: folder,
    MINTMARK_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    MINTMARK_BASE_URL: issuer,
    MINTMARK_IDP_ISSUER: 'https://login.example.com',
    MINTMARK_IDP_AUDIENCE: 'mintmark',
    LOG_LEVEL: 'error',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  const run = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [PROGRAM, ...args], { cwd: folder, env, encoding: 'utf8' })
  run('migrate')
  const signingKey = importKey(input =>
    execFileSync(process.execPath, [PROGRAM, 'key', 'import', '--kid', SIGNING_KID], { cwd: folder, env, input }),
  )
  const createAgent = (...more: readonly string[]): Credentials =>
    JSON.parse(run('agent', 'create', '--json', ...AGENT, ...more)) as Credentials
  const agent = createAgent('--name', 'interop')
  const bound = createAgent('--name', 'bound', '--tls-client-certificate-bound-access-tokens')
  const exchanging = ['--grant-type', EXCHANGE, '--acts-for', agent.agent_id, '--receives', ORDERS]
  const orders = createAgent('--name', 'orders', ...exchanging)
  const createApiKey = (permission: string): ApiKey =>
    JSON.parse(run('api-key', 'create', '--name', permission, '--permission', permission, '--json')) as ApiKey
  const assistant = createAgent('--name', 'assistant', ...trustProvider(provider, run, agent.agent_id))
  const apiKey = createApiKey('tokens:introspect')
  const serving = startProgram([PROGRAM, 'serve'], { cwd: folder, env }, started)
  await untilAnswering(`${issuer}/readyz`, serving)
  const surroundings = {
    ISSUER: issuer,
    PUBLISHER: await startPublisher(started),
    CLIENT_ID: agent.client_id,
    CLIENT_SECRET: agent.client_secret,
    // An agent whose tokens are bound to the certificate that it shows.
    BOUND_CLIENT_ID: bound.client_id,
    BOUND_CLIENT_SECRET: bound.client_secret,
    // An agent that may only exchange what the first one sends to https://orders.example/v1.
    ORDERS_CLIENT_ID: orders.client_id,
    ORDERS_CLIENT_SECRET: orders.client_secret,
    ...(await signPeopleIn(provider, assistant)),
    API_KEY_ID: apiKey.api_key_id,
    API_KEY: apiKey.api_key,
    WRITER_API_KEY: createApiKey('agents:write').api_key,
    // It ends what acts for those who leave.
    LEAVERS_API_KEY: createApiKey('tokens:revoke').api_key,
    SIGNING_KEY: signingKey,
    SIGNING_KID,
    // What runs requests/run.ts from another language.
    NODE: process.execPath,
  }
  const running = started.move()
  return { surroundings, stop: () => running.disposeAsync() }
}
