// The PostgreSQL of the database drill: one server of the programs that npm brought, on a small disk of its own where that can
// be had, so that everything that befalls a database can be done to it.
import { type ChildProcess, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { programsOfPostgres, userOfPostgres } from '../../../testkit/databases/postgres-binaries.ts'
import type { DrillFolder } from '../cluster/drill-folder.ts'
import type { Account } from '../cluster/parts.ts'
import { processesIn, signal } from '../../../testkit/processes/processes.ts'
import { endChild, isThere } from '../../../testkit/processes/end-child.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'

const NAME = 'postgres'
const CLUSTER = 'cluster'
const DISK_MB = 320
const CONNECTIONS_MAX = 40
const START_MS_MAX = 60_000
const POLL_MS = 10

/** The role and the database of the service. */
export const ROLE = { name: 'mintmark', password: 'drill', database: 'mintmark' } as const

export type DatabaseServer = {
  readonly port: number
  readonly folder: string
  /** False if the drill may not mount a disk of its own: then no disk can be full. */
  readonly hasDisk: boolean
  readonly start: () => Promise<void>
  /** `immediate`: as by a crash. */
  readonly stop: (how: 'fast' | 'immediate') => Promise<void>
  /** Starts it unless it runs. */
  readonly revive: () => Promise<void>
  /** Waits until it takes connections. */
  readonly untilAnswering: () => Promise<void>
  /** Queries as the owner of the database, whom no rule for others stops. */
  readonly ask: (text: string) => Promise<readonly Record<string, unknown>[]>
  readonly open: (database: string) => Promise<pg.Client>
  /** Opens a connection as a user for whom none is reserved. */
  readonly openGreedy: () => Promise<pg.Client>
  readonly setFile: (name: string, text: string | null) => void
  readonly signalAll: (name: NodeJS.Signals) => void
  readonly close: () => Promise<void>
}

const runTool = (program: string, args: readonly string[], asOwner: boolean): boolean => {
  const user = asOwner ? userOfPostgres() : {}
  const { status, stderr } = spawnSync(program, args, { ...user, cwd: '/', encoding: 'utf8' })
  if (status !== 0 && asOwner) throw new Error(`${program} failed: ${stderr}`)
  return status === 0
}

export const HBA = 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n'

const settingsOf = (folder: string, port: number): readonly string[] =>
  Object.entries({
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    max_connections: String(CONNECTIONS_MAX),
    shared_buffers: '32MB',
    max_wal_size: '64MB',
    jit: 'off',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

type Place = {
  readonly programs: string
  readonly account: Account | undefined
  /** The folder of the server; its cluster is below. */
  readonly folder: string
  readonly hasDisk: boolean
}

const makePlace = (drill: DrillFolder): Place => {
  const programs = programsOfPostgres(drill.path)
  const { uid, gid } = userOfPostgres()
  const account = uid === undefined || gid === undefined ? undefined : { uid, gid }
  const folder = drill.make(NAME, account)
  const owner = account === undefined ? '' : `,uid=${account.uid},gid=${account.gid}`
  const mount = ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=700${owner}`, 'mintmark-drill', folder]
  const hasDisk = process.platform === 'linux' && process.getuid?.() === 0 && runTool('mount', mount, false)
  const options = ['-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-locale']
  runTool(join(programs, 'initdb'), ['-D', join(folder, CLUSTER), ...options], true)
  return { programs, account, folder, hasDisk }
}

/** Connects over the socket, which accepts every user. */
const connectAs = async (host: string, port: number, who: { readonly user: string; readonly database: string }) => {
  const client = new pg.Client({ host, port, ...who })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const askAsOwner = async (
  { folder }: Place,
  port: number,
  text: string,
): Promise<readonly Record<string, unknown>[]> => {
  const client = await connectAs(folder, port, { user: 'owner', database: 'postgres' })
  try {
    const result = await client.query<Record<string, unknown>>(text)
    return Array.isArray(result) ? [] : result.rows
  } finally {
    await client.end()
  }
}

const isStarted = (file: string): boolean => {
  try {
    return /ready|standby/.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}

type Running = Pick<DatabaseServer, 'start' | 'stop' | 'revive' | 'untilAnswering'>

const makeRunning = (drill: DrillFolder, place: Place, port: number): Running => {
  const { programs, account, folder } = place
  const cluster = join(folder, CLUSTER)
  let child: ChildProcess | undefined

  const untilAnswering = async (): Promise<void> => {
    const until = performance.now() + START_MS_MAX
    for (;;) {
      try {
        await askAsOwner(place, port, 'select 1')
        return
      } catch (fault) {
        if (performance.now() > until) throw fault
        if (!isThere(child)) throw new Error('PostgreSQL does not start: see its log.', { cause: fault })
        await delay(POLL_MS)
      }
    }
  }

  const start = async (): Promise<void> => {
    const args = ['-D', cluster, ...settingsOf(folder, port)]
    child = drill.launch({ name: NAME, program: join(programs, 'postgres'), args, account })
    while (!isStarted(join(cluster, 'postmaster.pid')) && isThere(child)) await delay(POLL_MS)
  }

  return {
    start,
    untilAnswering,
    stop: how => endChild(child, how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    revive: async () => {
      if (!isThere(child)) await start()
      // One that is about to stop itself does so now.
      await untilAnswering().catch(start)
      await untilAnswering()
    },
  }
}

/** Makes it, with the role and the database of the service, and starts it. */
export const makeDatabaseServer = async (drill: DrillFolder): Promise<DatabaseServer> => {
  const place = makePlace(drill)
  const { folder, hasDisk } = place
  const port = await freePort()
  const running = makeRunning(drill, place, port)
  const ask = (text: string) => askAsOwner(place, port, text)
  const setFile: DatabaseServer['setFile'] = (name, text) => {
    const file = join(folder, CLUSTER, name)
    if (text === null) rmSync(file, { force: true })
    else writeFileSync(file, text)
  }
  setFile('pg_hba.conf', HBA)
  await running.start()
  await running.untilAnswering()
  await ask(`create role ${ROLE.name} login password '${ROLE.password}'`)
  await ask('create role greedy login')
  await ask(`create database ${ROLE.database} owner ${ROLE.name}`)
  return {
    ...running,
    port,
    folder,
    hasDisk,
    ask,
    open: database => connectAs(folder, port, { user: 'owner', database }),
    openGreedy: () => connectAs(folder, port, { user: 'greedy', database: 'postgres' }),
    setFile,
    signalAll: name => signal(processesIn(folder), name),
    close: async () => {
      await running.stop('immediate')
      if (hasDisk) runTool('umount', ['--lazy', folder], false)
    },
  }
}
