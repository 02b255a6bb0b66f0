// A real `mintmark serve` on a store in a folder of its own, with an agent, an API key and an operator's JWT.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { IdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import type { Cores } from '../machine.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { makeFolder, removeFolder, serverEnvironment, startServer, type Variables } from './server-process.ts'

const PROGRAM = resolve(import.meta.dirname, '../../../server/src/main.ts')
const STARTS_MAX = 3

/** Tokens of the bench outlive it, so that a pool of them stays good. */
const LIFETIME_SECONDS = 7200

/** A store that no process has open, and what it takes to serve it. */
export type Installation = {
  /** What serves it: server/src/main.ts of a tree. */
  readonly program: string
  readonly folder: string
  readonly databaseFile: string
  readonly port: number
  readonly baseUrl: string
  readonly variables: Variables
  readonly agent: { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }
  readonly apiKey: string
  readonly operatorJwt: string
  readonly remove: () => void
}

/** Runs a command to its end; what it printed. */
const runMintmark = (program: string, args: readonly string[], variables: Variables): string => {
  const options = { env: serverEnvironment(variables), encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options)
  if (status !== 0) throw new Error(`mintmark ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

const create = (program: string, args: readonly string[], variables: Variables): unknown =>
  JSON.parse(runMintmark(program, [...args, '--json'], variables))

const AGENT = ['--name', 'bench', '--scope', 'db:read db:write', '--resource', '*']
const PERMISSIONS = ['--permission', 'tokens:introspect', '--permission', 'tokens:read']

/** Migrates a fresh store and makes what a client of each kind needs. `workers` 0 leaves their number to the service. */
export const install = async (
  provider: IdentityProvider,
  workers = 0,
  others: Variables = {},
  program = PROGRAM,
): Promise<Installation> => {
  const folder = makeFolder()
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const variables = {
    MINTMARK_BASE_URL: baseUrl,
    MINTMARK_DATA_DIR: folder,
    MINTMARK_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: provider.audience,
    MINTMARK_TOKEN_LIFETIME_SECONDS: String(LIFETIME_SECONDS),
    HOST: '127.0.0.1',
    PORT: String(port),
    ...(workers > 0 && { MINTMARK_WORKERS: String(workers) }),
    ...others,
  }
  runMintmark(program, ['migrate'], variables)
  const inADay = Math.floor(Date.now() / 1000) + 86_400
  return {
    program,
    folder,
    databaseFile: join(folder, 'mintmark.db'),
    port,
    baseUrl,
    variables,
    // Each in the form that the command documents for --json.
    agent: create(program, ['agent', 'create', ...AGENT], variables) as Installation['agent'],
    apiKey: (
      create(program, ['api-key', 'create', '--name', 'bench', ...PERMISSIONS], variables) as { api_key: string }
    ).api_key,
    operatorJwt: await provider.operatorJwt({ exp: inADay }),
    remove: () => removeFolder(folder),
  }
}

export type MintmarkServer = Installation & { readonly pid: number; readonly stop: () => Promise<void> }

type ServeOptions = {
  readonly cores: Cores
  /** Options of Node, such as --cpu-prof. */
  readonly nodeOptions?: readonly string[]
  /** The variables besides those of the installation. */
  readonly variables?: Variables
  readonly isPiped?: boolean
}

/** Serves the installation on its port. Another process may take the port in between: then it is tried again. */
export const serve = async (
  installation: Installation,
  { cores, nodeOptions = [], variables = {}, isPiped = false }: ServeOptions,
  tries = 1,
): Promise<MintmarkServer> => {
  const start = {
    args: [...nodeOptions, installation.program, 'serve'],
    variables: { ...installation.variables, ...variables },
    ready: /Mintmark serves/,
    cores,
    isPiped,
  }
  try {
    const { pid, stop } = await startServer(start)
    return { ...installation, pid, stop }
  } catch (error) {
    if (tries === STARTS_MAX || !String(error).includes('EADDRINUSE')) throw error
    return serve(installation, { cores, nodeOptions, variables, isPiped }, tries + 1)
  }
}
