// A real PgBouncer in front of the PostgreSQL of the tests, where this machine has one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram } from '../processes/find-program.ts'
import { endChild } from '../processes/end-child.ts'
import { freePort } from '../processes/free-port.ts'
import type { DatabaseAddress } from '../../server/src/store/postgres/connection/address.ts'
import { userOfPostgres } from './postgres-binaries.ts'
import { testCluster } from './postgres-cluster.ts'

const READY_EVERY_MS = 20
const READY_TRIES_MAX = 500

export type Pooler = {
  readonly port: number
  /** How an address leads through it. */
  readonly through: Pick<DatabaseAddress, 'hosts' | 'pooling'>
  readonly stop: () => Promise<void>
}

/** The path of PgBouncer; undefined where this machine has none. */
export const findPooler = (): string | undefined =>
  process.platform === 'linux' ? findProgram('pgbouncer') : undefined

const MISSING = 'this machine has no PgBouncer (Debian: pgbouncer)'

/** A test of it, skipped where there is none. */
export const testWithPooler = (title: string, work: (t: TestContext) => Promise<void>): void =>
  void test(title, { skip: findPooler() === undefined && MISSING }, work)

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const settingsOf = (port: number, folder: string, settings: Readonly<Record<string, string>>): string =>
  Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    // Fewer than a store has: they must be shared.
    default_pool_size: '4',
    ...settings,
  })
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')

/** Starts one; `settings` as its file has them, `pool_mode` above all. */
export const startPooler = async (settings: Readonly<Record<string, string>>): Promise<Pooler> => {
  const program = findPooler()
  if (program === undefined) throw new Error('This machine has no PgBouncer.')
  const { socketFolder, port: postgresPort } = await testCluster()
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-pooler-'))
  const port = await freePort()
  const user = userOfPostgres()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  writeFileSync(join(folder, 'users'), '"mintmark" ""\n', { mode: 0o644 })
  const databases = `[databases]\n* = host=${socketFolder} port=${postgresPort}\n`
  writeFileSync(join(folder, 'ini'), `${databases}[pgbouncer]\n${settingsOf(port, folder, settings)}`, { mode: 0o644 })
  const child = spawn(program, ['-q', join(folder, 'ini')], { ...user, cwd: folder, stdio: 'ignore' })
  const stop = async (): Promise<void> => {
    await endChild(child, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  for (let n = 0; !(await isListening(port)); n += 1) {
    if (child.exitCode !== null || n === READY_TRIES_MAX) {
      await stop()
      throw new Error('PgBouncer did not start.')
    }
    await delay(READY_EVERY_MS)
  }
  return { port, through: { hosts: [{ host: '127.0.0.1', port }], pooling: 'transaction' }, stop }
}
