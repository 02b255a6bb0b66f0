// A real PostgreSQL for tests: one for a whole run, started where it is first needed, with a database for each test.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

export type Cluster = {
  readonly socketFolder: string
  readonly port: number
  /** The folder of files that tests write and their databases read. */
  readonly clockFolder: string
}

const POLL_MS = 20
const START_MS_MAX = 60_000

// The files of a run are processes of one runner; one that is run alone is its own.
const runPid = (): number => (process.env['NODE_TEST_CONTEXT'] === undefined ? process.pid : process.ppid)

const startSharedPostgres = (folder: string, pid: number): void => {
  const program = fileURLToPath(import.meta.resolve('./shared-postgres-process.ts'))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  // Not in the folder of a drill, whose end kills all that works there: this process outlives its runner for a moment.
  spawn(process.execPath, [program, folder, String(pid)], { cwd: folder, detached: true, stdio: 'ignore', env }).unref()
}

// The process that makes the folder starts PostgreSQL in it; the others wait.
const isFirst = (folder: string): boolean => {
  try {
    mkdirSync(folder, { mode: 0o755 })
    return true
  } catch {
    return false
  }
}

const findCluster = async (): Promise<Cluster> => {
  const pid = runPid()
  const folder = join(tmpdir(), `mintmark-postgres-${pid}`)
  if (isFirst(folder)) startSharedPostgres(folder, pid)
  const until = Date.now() + START_MS_MAX
  while (Date.now() < until) {
    if (existsSync(join(folder, 'ready.json'))) {
      return JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8')) as Cluster
    }
    if (existsSync(join(folder, 'failed'))) throw new Error(readFileSync(join(folder, 'failed'), 'utf8'))
    await delay(POLL_MS)
  }
  throw new Error('PostgreSQL did not start in time.')
}

let cluster: Promise<Cluster> | undefined

/** The PostgreSQL of this run. */
export const testCluster = (): Promise<Cluster> => (cluster ??= findCluster())

/** The address of a database of a server, over its socket. */
export const databaseUrl = ({ socketFolder, port }: Omit<Cluster, 'clockFolder'>, database: string): string =>
  `postgres://mintmark@/${database}?host=${encodeURIComponent(socketFolder)}&port=${port}`

/** Whether it is the address of a database, and no file. */
export const isDatabaseUrl = (file: string): boolean => file.startsWith('postgres:')

/** The name of the database in an address. */
export const databaseOf = (url: string): string => /^postgres:\/\/mintmark@\/([^?]+)/.exec(url)?.[1] ?? ''

/** Runs `work` on a connection with the server's own settings. */
export const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Runs one statement on a connection of its own. */
export const runStatement = async (url: string, text: string): Promise<readonly Record<string, unknown>[]> =>
  withClient(url, async client => (await client.query<Record<string, unknown>>(text)).rows)

export type TestDatabase = { readonly url: string; readonly name: string; readonly drop: () => Promise<void> }

/**
 * How a new database compares text: as the cluster, which is in the order of a language, unless a file of tests says
 * otherwise for all that it makes.
 */
export const newDatabase = (): string =>
  `template template0 strategy file_copy ${process.env['MINTMARK_TEST_DATABASE'] ?? ''}`

let administrators: pg.Pool | undefined

/** Connections on which this process makes all its databases: a new one for each statement would cost the server 5 ms. */
const startAdministrators = (found: Cluster): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: databaseUrl(found, 'postgres'),
    max: 2,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // A test may end all connections of the server: the next statement has a new one.
  pool.on('error', () => undefined)
  return pool
}

/** Runs one statement that no database of a test is needed for. */
const administer = async (found: Cluster, text: string): Promise<void> => {
  administrators ??= startAdministrators(found)
  await administrators.query(text)
}

/** An empty database of its own, made so: a copy of a template to which nobody is connected, its order of text, its encoding. */
export const makeTestDatabase = async (how = newDatabase()): Promise<TestDatabase> => {
  const found = await testCluster()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(found, `create database ${name} ${how}`)
  const drop = (): Promise<void> => administer(found, `drop database if exists ${name} with (force)`)
  return { url: databaseUrl(found, name), name, drop }
}
