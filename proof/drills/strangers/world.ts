// The service that strangers attack: a process of its own, which is started again after each stage that broke it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startIdentityProvider } from '../../../testkit/identity-providers/identity-provider.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import { untilListening } from '../cluster/replica.ts'
import { endChild } from '../../../testkit/processes/end-child.ts'
import type { Access } from '../requests.ts'
import { environmentOf, prepareAccess, PROGRAM, untilReady, type Variables } from '../service-under-drill.ts'
import type { StoreUnderDrill } from '../stores.ts'
import type { HonestTokens } from './honest-callers.ts'
import { type ImportedClient, importClients } from './imported-clients.ts'

export type Service = {
  readonly pid: number
  /** Returns how the process ended; null while it runs. */
  readonly ended: () => string | null
  /** What it has logged since this was last asked. */
  readonly readLog: () => string
  readonly kill: () => Promise<void>
}

export type World = {
  readonly name: string
  readonly access: Access
  readonly adminJwt: string
  readonly importedClients: readonly ImportedClient[]
  readonly tokens: HonestTokens
  /** The settings of the service. */
  readonly variables: Variables
  readonly start: () => Promise<Service>
}

const IMPORTED_CLIENTS = 5
const LIFETIME_SECONDS = 86_400

type WorldOptions = {
  readonly folder: DrillFolder
  readonly workers: number
  readonly print: (line: string) => void
  /** Further settings of the service. */
  readonly variables?: Variables
}

/** Makes the store, the clients and the keys, and what starts a service over them. */
export const makeWorld = async (
  store: StoreUnderDrill,
  { folder, workers, print, variables: more }: WorldOptions,
  started: AsyncDisposableStack,
): Promise<World> => {
  const provider = await startIdentityProvider()
  started.defer(() => provider.close())
  const name = store.name.replaceAll(' ', '-')
  const port = await freePort()
  const home = folder.make(name)
  const variables = {
    ...environmentOf(home, port, provider),
    ...(await store.make(print)),
    MINTMARK_WORKERS: String(workers),
    MINTMARK_BODY_BYTES_MAX: '65536',
    LOG_LEVEL: 'warn',
    ...more,
  }
  const access = await prepareAccess(variables, port, provider)
  const importedClients = await importClients(variables, home, IMPORTED_CLIENTS)
  const exp = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS
  const adminJwt = await provider.operatorJwt({ role: 'mintmark-admin', exp })

  let logRead = 0
  const readLog = (): string => {
    const log = readFileSync(join(folder.path, `${name}.log`))
    const added = log.subarray(logRead).toString()
    logRead = log.length
    return added
  }

  const start = async (): Promise<Service> => {
    const child = folder.launch({ name, program: process.execPath, args: [PROGRAM, 'serve'], variables, isHeard: true })
    if ((await untilListening(child)) === 'ended') throw new Error(`The service does not start: ${readLog()}`)
    started.defer(() => endChild(child, 'SIGKILL'))
    await untilReady(port)
    return {
      pid: child.pid ?? 0,
      ended: () => child.signalCode ?? (child.exitCode === null ? null : `exit code ${child.exitCode}`),
      readLog,
      kill: () => endChild(child, 'SIGKILL'),
    }
  }
  return { name: store.name, access, adminJwt, importedClients, tokens: { live: [], ended: [] }, variables, start }
}
