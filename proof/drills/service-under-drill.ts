// The real program in a folder of its own: made once, then started, killed and started again on one port.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type IdentityProvider, startIdentityProvider } from '../../testkit/identity-providers/identity-provider.ts'
import { TOKEN_EXCHANGE } from '../../api/values/delegation.ts'
import { openConnection } from './connection.ts'
import { isThere } from '../../testkit/processes/end-child.ts'
import { freePort } from '../../testkit/processes/free-port.ts'
import type { Access, AgentAccess } from './requests.ts'

/** The program's main file. */
export const PROGRAM = join(import.meta.dirname, '..', '..', 'server', 'src', 'main.ts')
const START_MS_MAX = 60_000
const READY_MS_MAX = 15_000
const READY_POLL_MS = 5
const ERROR_TEXT_MAX = 4000
/** The longest lifetime that an agent can have: no token of a drill expires under it. */
const LONG_LIFETIME_SECONDS = 86_400
export const SHORT_LIFETIME_SECONDS = 2

export type Variables = Readonly<Record<string, string>>

type Start = {
  /** Put before the program: `--import` of a module that a drill brings along. */
  readonly nodeOptions?: readonly string[]
  readonly variables?: Variables
  /** Called with the process before it is ready. */
  readonly onSpawn?: (child: ChildProcess) => void
}

export type Running = {
  readonly child: ChildProcess
  /** SIGKILL, and waits until the process is gone. Throws where it has ended by itself before. */
  readonly kill: () => Promise<void>
  /** What it has written on standard error, the end of it. */
  readonly complaints: () => string
}

export type ServiceUnderDrill = {
  readonly access: Access
  readonly dataFolder: string
  /** Starts `serve` and waits until it listens; undefined where it was killed before that. Throws if it fails. */
  readonly start: (start?: Start) => Promise<Running | undefined>
  /** Ends what still runs. */
  readonly close: () => Promise<void>
}

/** The folder of compiled code that the next process reuses, if the environment names one. */
const { NODE_COMPILE_CACHE } = process.env

/** The settings of a service on this port, with its store in this folder unless they are given another. */
export const environmentOf = (dataFolder: string, port: number, provider: IdentityProvider): Variables => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE: resolve(NODE_COMPILE_CACHE) }),
  MINTMARK_DATA_DIR: dataFolder,
  MINTMARK_BASE_URL: `http://127.0.0.1:${port}`,
  MINTMARK_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  MINTMARK_IDP_ISSUER: provider.issuer,
  MINTMARK_IDP_AUDIENCE: provider.audience,
  MINTMARK_IDP_JWKS_URI: provider.jwksUri,
  HOST: '127.0.0.1',
  PORT: String(port),
  LOG_LEVEL: 'error',
})

const runCommand = promisify(execFile)

/** Runs a command. Not synchronously: the drill may itself be the network between the command and its store. */
export const mintmark = async (env: Variables, args: readonly string[]): Promise<string> => {
  const { stdout } = await runCommand(process.execPath, [PROGRAM, ...args], { env, timeout: START_MS_MAX })
  return stdout
}

// The commands print one line of JSON each.
const command = async (env: Variables, args: readonly string[]): Promise<Readonly<Record<string, string>>> =>
  JSON.parse(await mintmark(env, [...args, '--json'])) as Readonly<Record<string, string>>

const createAgent = async (env: Variables, name: string, lifetimeSeconds: number): Promise<AgentAccess> => {
  const lifetime = ['--lifetime-seconds', String(lifetimeSeconds)]
  const made = await command(env, ['agent', 'create', '--name', name, '--scope', 'db:*', ...lifetime])
  return { clientId: made['client_id'] ?? '', clientSecret: made['client_secret'] ?? '' }
}

const createRelay = async (env: Variables, audience: string): Promise<AgentAccess> => {
  const grants = ['--grant-type', 'client_credentials', '--grant-type', TOKEN_EXCHANGE]
  const reach = ['--acts-for', '*', '--receives', audience]
  const lifetime = ['--lifetime-seconds', String(LONG_LIFETIME_SECONDS)]
  const settings = ['--name', 'drill, relay', '--scope', 'db:*', ...lifetime, ...grants, ...reach]
  const made = await command(env, ['agent', 'create', ...settings])
  return { clientId: made['client_id'] ?? '', clientSecret: made['client_secret'] ?? '' }
}

const createKey = async (env: Variables, permission: string): Promise<string> =>
  (await command(env, ['api-key', 'create', '--name', permission, '--permission', permission]))['api_key'] ?? ''

/** Makes the store that the settings name, and what the clients of a drill need in it. */
export const prepareAccess = async (env: Variables, port: number, provider: IdentityProvider): Promise<Access> => {
  await mintmark(env, ['migrate'])
  return {
    port,
    agent: await createAgent(env, 'drill', LONG_LIFETIME_SECONDS),
    shortLivedAgent: await createAgent(env, 'drill, short-lived', SHORT_LIFETIME_SECONDS),
    relay: await createRelay(env, env['MINTMARK_BASE_URL'] ?? ''),
    introspectionKey: await createKey(env, 'tokens:introspect'),
    readerKey: await createKey(env, 'tokens:read'),
    operatorJwt: await provider.operatorJwt({ exp: Math.floor(Date.now() / 1000) + LONG_LIFETIME_SECONDS }),
  }
}

const watch = (child: ChildProcess): Running => {
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_TEXT_MAX)
  })
  const gone = once(child, 'exit')
  return {
    child,
    kill: async () => {
      if (child.exitCode !== null || (child.signalCode ?? 'SIGKILL') !== 'SIGKILL') {
        throw new Error(`The service ended by itself: ${errors}`)
      }
      child.kill('SIGKILL')
      await gone
    },
    complaints: () => errors,
  }
}

const untilListening = (running: Running): Promise<Running | undefined> =>
  new Promise((onReady, onFault) => {
    const { child } = running
    const timer = setTimeout(() => onFault(new Error('The service did not start in time.')), START_MS_MAX)
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (!text.includes('Mintmark serves')) return
      clearTimeout(timer)
      onReady(running)
    })
    child.once('exit', (_code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL') onReady(undefined)
      else onFault(new Error(`The service ended at its start: ${running.complaints()}`))
    })
  })

/** Makes the store, the agents and the keys of a drill below this folder. `workers` is passed on only where it is given. */
export const prepareService = async (folder: string, workers: number | null): Promise<ServiceUnderDrill> => {
  const dataFolder = join(folder, 'store')
  mkdirSync(dataFolder, { mode: 0o700 })
  const provider = await startIdentityProvider()
  const port = await freePort()
  const env = environmentOf(dataFolder, port, provider)
  const access = await prepareAccess(env, port, provider)
  let running: Running | undefined
  return {
    access,
    dataFolder,
    start: ({ nodeOptions = [], variables = {}, onSpawn } = {}) => {
      const child = spawn(process.execPath, [...nodeOptions, PROGRAM, 'serve'], {
        env: { ...env, ...(workers !== null && { MINTMARK_WORKERS: String(workers) }), ...variables },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      running = watch(child)
      onSpawn?.(child)
      return untilListening(running)
    },
    close: async () => {
      if (isThere(running?.child)) await running.kill()
      await provider.close()
    },
  }
}

const isReady = async (port: number, path: string): Promise<boolean> => {
  try {
    const connection = await openConnection(port)
    const { status } = await connection.exchange(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    connection.close()
    return status === 200
  } catch {
    // Not listening, or gone in between: not ready.
    return false
  }
}

/** Waits until the service can write and read, or a path is answered; throws if it does not come to that in time. */
export const untilReady = async (port: number, path = '/readyz'): Promise<void> => {
  const until = Date.now() + READY_MS_MAX
  while (!(await isReady(port, path))) {
    if (Date.now() > until) throw new Error(`The service was not ready within ${READY_MS_MAX / 1000} s.`)
    await new Promise(onTime => setTimeout(onTime, READY_POLL_MS))
  }
}
