// A real `mintmark serve` on a store of its own, with an agent and an API key made by the command line.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const PROGRAM = resolve(import.meta.dirname, '../server/src/main.ts')
const READY_WITHIN_MS = 60_000
const TRY_EVERY_MS = 100

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
  while (Date.now() < giveUpAt && process.exitCode === null) {
    const status = await fetch(address).then(
      response => response.status,
      () => 0,
    )
    if (status > 0 && status < 500) return
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
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

type Credentials = { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }
type ApiKey = { readonly api_key_id: string; readonly api_key: string }

/** `settings` are variables of the service, beside those that it needs. */
export const startService = async (settings: Surroundings = {}): Promise<RunningService> => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-interop-'))
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    ...settings,
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
  const createAgent = (...more: readonly string[]): Credentials =>
    JSON.parse(run('agent', 'create', '--json', ...AGENT, ...more)) as Credentials
  const agent = createAgent('--name', 'interop')
  const brief = createAgent('--name', 'brief', '--lifetime-seconds', '1')
  const exchanging = ['--grant-type', EXCHANGE, '--acts-for', agent.agent_id, '--receives', ORDERS]
  const orders = createAgent('--name', 'orders', ...exchanging)
  const createApiKey = (permission: string): ApiKey =>
    JSON.parse(run('api-key', 'create', '--name', permission, '--permission', permission, '--json')) as ApiKey
  const apiKey = createApiKey('tokens:introspect')
  const serving = spawn(process.execPath, [PROGRAM, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async (): Promise<void> => {
    await end(serving)
    rmSync(folder, { recursive: true })
  }
  await untilAnswering(`${issuer}/readyz`, serving).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    surroundings: {
      ISSUER: issuer,
      CLIENT_ID: agent.client_id,
      CLIENT_SECRET: agent.client_secret,
      // An agent whose tokens live for one second.
      BRIEF_CLIENT_ID: brief.client_id,
      BRIEF_CLIENT_SECRET: brief.client_secret,
      // An agent that may only exchange what the first one sends to https://orders.example/v1.
      ORDERS_CLIENT_ID: orders.client_id,
      ORDERS_CLIENT_SECRET: orders.client_secret,
      API_KEY_ID: apiKey.api_key_id,
      API_KEY: apiKey.api_key,
      WRITER_API_KEY: createApiKey('agents:write').api_key,
    },
    stop,
  }
}
