// Two PostgreSQL servers of the programs that npm brings: a primary, and a standby that its commits wait for.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { processesIn, signal } from '../processes/processes.ts'
import { isThere } from '../processes/end-child.ts'
import { freePort } from '../processes/free-port.ts'
import { programsOfPostgres, userOfPostgres } from './postgres-binaries.ts'
import { runStatement } from './postgres-cluster.ts'

const POLL_MS = 20
const START_TRIES_MAX = 3000
const STANDBY = 'standby'
const FAST = { fsync: 'off', full_page_writes: 'off', shared_buffers: '16MB', max_connections: '100', jit: 'off' }
// That a wait for the standby was canceled comes as a warning, and nobody would hear of it.
const SETTINGS = { ...FAST, client_min_messages: 'error' }

export type SynchronousPair = {
  /** The folder of the primary's socket. */
  readonly host: string
  readonly port: number
  /** The folder of the standby's socket; its port is that of the primary. */
  readonly standbyHost: string
  /** The address of a database of the primary. */
  readonly url: (database: string) => string
  /** Stops every process of the standby, so that it acknowledges nothing more, until they go on. */
  readonly pauseStandby: () => void
  readonly resumeStandby: () => void
  /** Waits until a reader of the standby sees all that the primary has committed: an acknowledged commit is on its disk, not yet in its tables. */
  readonly untilReplayed: () => Promise<void>
  /** Kills the primary and makes the standby the primary, also a paused one; returns once it takes writes. It waits for nobody. */
  readonly failOver: () => Promise<void>
  readonly stop: () => Promise<void>
}

const user = userOfPostgres()

const makeFolder = (path: string): string => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
  return path
}

const chownAll = (path: string): void => {
  if (user.uid !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, path])
}

const makeCluster = (programs: string, place: string): void => {
  const order = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const options = ['--no-sync', '--auth=trust', '--encoding=UTF8', '--username=mintmark', ...order]
  const initdb = join(programs, 'initdb')
  const made = spawnSync(initdb, ['-D', join(place, 'cluster'), ...options], { ...user, cwd: place, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
}

const startServer = (programs: string, place: string, port: number, more: Readonly<Record<string, string>>) => {
  const where = { port: String(port), listen_addresses: '', unix_socket_directories: place }
  const settings = Object.entries({ ...SETTINGS, ...where, ...more }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const args = ['-D', join(place, 'cluster'), ...settings]
  return spawn(join(programs, 'postgres'), args, { ...user, cwd: place, stdio: 'ignore' })
}

const untilFollowing = async (url: string, commits: 'wait' | 'go on'): Promise<void> => {
  const state = commits === 'wait' ? 'sync' : 'async'
  const isFollowing = `select 1 from pg_stat_replication where application_name = '${STANDBY}' and sync_state = '${state}'`
  for (let n = 0; ; n += 1) {
    const rows = await runStatement(url, isFollowing).catch(() => [])
    if (rows.length > 0) return
    if (n === START_TRIES_MAX) throw new Error('The standby did not follow.')
    await delay(POLL_MS)
  }
}

const addressIn = (place: string, port: number, database: string): string =>
  `postgres://mintmark@/${database}?host=${encodeURIComponent(place)}&port=${port}`

const untilReplayed = async (primary: string, standby: string): Promise<void> => {
  const [written] = await runStatement(primary, 'select pg_current_wal_lsn()::text as lsn')
  const hasReplayed = `select pg_last_wal_replay_lsn() >= '${String(written?.['lsn'])}' as is_done`
  while ((await runStatement(standby, hasReplayed))[0]?.['is_done'] !== true) await delay(POLL_MS)
}

const promote = async (standby: string): Promise<void> => {
  await runStatement(standby, 'select pg_promote(true, 60)')
  while ((await runStatement(standby, 'select pg_is_in_recovery() as is_standby'))[0]?.['is_standby'] !== false) {
    await delay(POLL_MS)
  }
}

const end = async (child: ChildProcess, place: string): Promise<void> => {
  const gone = isThere(child) ? once(child, 'exit') : undefined
  signal(processesIn(place), 'SIGKILL')
  await gone
}

/** Starts a pair on Linux; the standby is a copy of the primary before its first start. `commits`: whether they wait for it. */
export const startPair = async (commits: 'wait' | 'go on'): Promise<SynchronousPair> => {
  const top = mkdtempSync(join(tmpdir(), 'mintmark-pair-'))
  makeFolder(top)
  const programs = programsOfPostgres(top)
  const [one, two] = [makeFolder(join(top, 'one')), makeFolder(join(top, 'two'))]
  const port = await freePort()
  makeCluster(programs, one)
  cpSync(join(one, 'cluster'), join(two, 'cluster'), { recursive: true })
  // Node 24 copies no mode of a folder, and PostgreSQL does not start in one that others may read.
  chmodSync(join(two, 'cluster'), 0o700)
  writeFileSync(join(two, 'cluster', 'standby.signal'), '')
  chownAll(two)
  const primary = startServer(programs, one, port, {
    synchronous_standby_names: commits === 'wait' ? `FIRST 1 (${STANDBY})` : '',
  })
  const source = `host=${one} port=${port} user=mintmark application_name=${STANDBY}`
  const standby = startServer(programs, two, port, { primary_conninfo: source, wal_retrieve_retry_interval: '50ms' })
  const url = (database: string): string => addressIn(one, port, database)
  const stop = async (): Promise<void> => {
    await Promise.all([end(primary, one), end(standby, two)])
    rmSync(top, { recursive: true, force: true })
  }
  try {
    await untilFollowing(url('postgres'), commits)
  } catch (fault) {
    await stop()
    throw fault
  }
  return {
    host: one,
    standbyHost: two,
    port,
    url,
    pauseStandby: () => signal(processesIn(two), 'SIGSTOP'),
    resumeStandby: () => signal(processesIn(two), 'SIGCONT'),
    untilReplayed: () => untilReplayed(url('postgres'), addressIn(two, port, 'postgres')),
    failOver: async () => {
      await end(primary, one)
      signal(processesIn(two), 'SIGCONT')
      await promote(addressIn(two, port, 'postgres'))
    },
    stop,
  }
}

export const startSynchronousPair = (): Promise<SynchronousPair> => startPair('wait')
