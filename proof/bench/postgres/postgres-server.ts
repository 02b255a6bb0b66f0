// A PostgreSQL for the bench, durable as an operator's is, with a synchronous standby beside it where one is asked for.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild } from '../../../testkit/processes/end-child.ts'
import { programsOfPostgres, userOfPostgres } from '../../../testkit/databases/postgres-binaries.ts'
import { databaseUrl, runStatement } from '../../../testkit/databases/postgres-cluster.ts'
import { processorSeconds } from '../../../testkit/processes/process-costs.ts'
import { freePort } from '../../../testkit/processes/free-port.ts'
import { makeFolder, removeFolder } from '../servers/server-process.ts'

const READY_MS_MAX = 60_000
const READY_EVERY_MS = 50
const STANDBY = 'standby'
/** The one in the addresses that databaseUrl makes. */
const USER = 'mintmark'

const SETTINGS = { max_connections: '100', shared_buffers: '256MB', wal_keep_size: '1GB', jit: 'off' }

export type BenchPostgres = {
  readonly hasStandby: boolean
  /** The URL of the database, over the socket of the primary. */
  readonly url: string
  /** The TCP port of the primary. */
  readonly port: number
  /** Returns the processor time of the primary and its standby, all their processes. */
  readonly processorSeconds: () => number
  readonly query: (text: string) => Promise<readonly Record<string, unknown>[]>
  readonly stop: () => Promise<void>
}

type Node = { readonly place: string; readonly port: number; readonly child: ChildProcess }

const user = userOfPostgres()

// PostgreSQL runs as another user than root.
const makePlace = (folder: string, name: string): string => {
  const place = join(folder, name)
  mkdirSync(place)
  if (user.uid !== undefined && user.gid !== undefined) chownSync(place, user.uid, user.gid)
  return place
}

const runAs = (place: string, file: string, args: readonly string[]): void => {
  const { status, stderr, error } = spawnSync(file, args, { ...user, cwd: place, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${file} failed: ${error?.message ?? stderr}`)
}

const isReady = (place: string): boolean => {
  try {
    return /ready|standby/.test(readFileSync(join(place, 'data', 'postmaster.pid'), 'utf8').split('\n')[7] ?? '')
  } catch {
    return false
  }
}

/** Starts on the core of the process that starts it: the load's, so that it takes no time from the service. */
const startNode = async (programs: string, place: string, more: Readonly<Record<string, string>>): Promise<Node> => {
  const port = await freePort()
  const settings = Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(join(place, 'log'), 'a')
  const where = ['-D', join(place, 'data'), '-k', place, '-h', '127.0.0.1', '-p', String(port)]
  const stdio: ['ignore', number, number] = ['ignore', log, log]
  const child = spawn(join(programs, 'postgres'), [...where, ...settings], { ...user, cwd: place, stdio })
  closeSync(log)
  process.once('exit', () => child.kill('SIGQUIT'))
  const until = Date.now() + READY_MS_MAX
  while (!isReady(place)) {
    if (child.exitCode !== null || Date.now() > until) {
      throw new Error(`postgres did not start: ${readFileSync(join(place, 'log'), 'utf8')}`)
    }
    await delay(READY_EVERY_MS)
  }
  return { place, port, child }
}

const stopNode = ({ child }: Node): Promise<void> => endChild(child, 'SIGINT')

const urlOf = ({ place, port }: Node, database: string): string => databaseUrl({ socketFolder: place, port }, database)

const queryOf =
  (node: Node, database: string): BenchPostgres['query'] =>
  text =>
    runStatement(urlOf(node, database), text)

// A copy of what no server has opened yet follows from the first byte on.
const copyCluster = (from: string, to: string): void => runAs(from, 'cp', ['-R', join(from, 'data'), join(to, 'data')])

const follow = (standby: string, port: number): void => {
  const conninfo = `host=127.0.0.1 port=${port} user=${USER} application_name=${STANDBY}`
  writeFileSync(join(standby, 'data', 'standby.signal'), '')
  writeFileSync(join(standby, 'data', 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
}

const untilSynchronous = async (query: BenchPostgres['query']): Promise<void> => {
  const until = Date.now() + READY_MS_MAX
  while (Date.now() < until) {
    if ((await query(`select 1 from pg_stat_replication where sync_state = 'sync'`)).length === 1) return
    await delay(READY_EVERY_MS)
  }
  throw new Error('The standby did not follow in time.')
}

/** Starts PostgreSQL with an empty database. `standby` is one that each commit waits for. */
export const startPostgres = async ({ standby }: { readonly standby: boolean }): Promise<BenchPostgres> => {
  const folder = makeFolder()
  chmodSync(folder, 0o755)
  const programs = programsOfPostgres(folder)
  const place = makePlace(folder, 'primary')
  const options = ['--auth=trust', '--encoding=UTF8', '--no-locale', `--username=${USER}`]
  runAs(place, join(programs, 'initdb'), ['--pgdata', join(place, 'data'), ...options])
  const beside = standby ? makePlace(folder, STANDBY) : undefined
  if (beside !== undefined) copyCluster(place, beside)
  const primary = await startNode(programs, place, {})
  const nodes = [primary]
  const query = queryOf(primary, 'postgres')
  if (beside !== undefined) {
    follow(beside, primary.port)
    nodes.push(await startNode(programs, beside, {}))
    await query(`alter system set synchronous_standby_names = '${STANDBY}'`)
    await query('select pg_reload_conf()')
    await untilSynchronous(query)
  }
  await query('create database bench')
  return {
    hasStandby: standby,
    url: urlOf(primary, 'bench'),
    port: primary.port,
    processorSeconds: () => nodes.reduce((sum, { child }) => sum + processorSeconds(child.pid ?? 0), 0),
    query: queryOf(primary, 'bench'),
    stop: async () => {
      for (const node of nodes.toReversed()) await stopNode(node)
      removeFolder(folder)
    },
  }
}
