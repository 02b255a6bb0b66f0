// Runs one PostgreSQL for all tests of a run: makes the cluster, writes its address, and ends it when the process that it is for ends.
// Run as: node shared-postgres-process.ts FOLDER PID
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endChild, isThere } from '../processes/end-child.ts'
import { freePort } from '../processes/free-port.ts'
import { isRunning } from '../processes/processes.ts'
import { programsOfPostgres, userOfPostgres } from './postgres-binaries.ts'

const [folder = '', watched = ''] = process.argv.slice(2)
const ALIVE_EVERY_MS = 300
const READY_EVERY_MS = 20

const user = userOfPostgres()

const makeCluster = (programs: string, place: string): void => {
  mkdirSync(place)
  if (user.uid !== undefined && user.gid !== undefined) chownSync(place, user.uid, user.gid)
  // Text in the order of a language, which needs no locale of the machine: what relies on that of bytes has to say so.
  const order = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const options = ['--no-sync', '--auth=trust', '--encoding=UTF8', '--username=mintmark', ...order]
  const made = spawnSync(join(programs, 'initdb'), ['--pgdata', join(place, 'cluster'), ...options], {
    ...user,
    cwd: place,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${String(made.error ?? '')}`)
}

// A test asks whether the right thing is written, not whether the disk keeps it: that is what the drills are for. Without
// fsync a database for a test costs 20 ms instead of 80.
const FAST = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '64MB', jit: 'off' }

// Settings that a database or a role of a customer may have, each with another value than the default: code that relies on
// one of them has to set it.
const OF_OTHERS = {
  array_nulls: 'off',
  bytea_output: 'escape',
  client_min_messages: 'debug1',
  DateStyle: 'German',
  extra_float_digits: '-15',
  IntervalStyle: 'sql_standard',
  standard_conforming_strings: 'off',
  synchronous_commit: 'off',
  TimeZone: 'Asia/Kathmandu',
  transform_null_equals: 'on',
}

const SETTINGS = { ...FAST, ...OF_OTHERS }

const startPostgres = (programs: string, place: string, port: number) => {
  const log = openSync(join(folder, 'log'), 'a')
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const where = ['-D', join(place, 'cluster'), '-k', place, '-h', '127.0.0.1', '-p', String(port)]
  return spawn(join(programs, 'postgres'), [...where, ...settings], {
    ...user,
    cwd: place,
    stdio: ['ignore', log, log],
  })
}

const isReady = (place: string): boolean => {
  try {
    return readFileSync(join(place, 'cluster', 'postmaster.pid'), 'utf8').includes('ready')
  } catch {
    return false
  }
}

const runUntilUnwatched = async (): Promise<void> => {
  const place = join(folder, 'place')
  const programs = programsOfPostgres(folder)
  makeCluster(programs, place)
  const port = await freePort()
  const postgres = startPostgres(programs, place, port)
  while (!isReady(place)) {
    if (!isThere(postgres)) throw new Error('postgres did not start.')
    await delay(READY_EVERY_MS)
  }
  const clockFolder = join(folder, 'clocks')
  mkdirSync(clockFolder, { mode: 0o755 })
  writeFileSync(join(folder, 'ready.tmp'), JSON.stringify({ socketFolder: place, port, clockFolder }))
  renameSync(join(folder, 'ready.tmp'), join(folder, 'ready.json'))
  while (isRunning(Number(watched)) && isThere(postgres)) await delay(ALIVE_EVERY_MS)
  await endChild(postgres, 'SIGQUIT')
}

try {
  await runUntilUnwatched()
} catch (fault) {
  writeFileSync(join(folder, 'failed'), String(fault))
  await delay(READY_EVERY_MS * 50)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
