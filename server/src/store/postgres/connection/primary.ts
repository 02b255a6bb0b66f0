// Finds the primary among the hosts of a cluster, and refuses one that would break what the service promises.
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../../domain/refusal.ts'
import type { DatabaseAccess, DatabaseAddress, DatabaseHost, Unsafe } from './address.ts'
import {
  type Asked,
  connect,
  type Connection,
  type ConnectOptions,
  POOLED_SESSION,
  SESSION_SETTINGS,
} from './connection.ts'
import { TIMELINE } from './fail-overs.ts'
import { StoreProblem } from '../../store-problem.ts'

type Server = { readonly standby: boolean; readonly version: number; readonly timeline: string | null } & Readonly<
  Record<
    'readOnly' | 'encoding' | 'fsync' | 'fullPageWrites' | 'synchronousCommit' | 'planCacheMode' | 'standbyNames',
    string
  >
>

const SERVER_STATE = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as "readOnly",
  current_setting('server_version_num')::integer as version, current_setting('fsync') as fsync,
  current_setting('server_encoding') as encoding,
  current_setting('full_page_writes') as "fullPageWrites",
  current_setting('synchronous_commit') as "synchronousCommit",
  current_setting('synchronous_standby_names') as "standbyNames",
  current_setting('plan_cache_mode') as "planCacheMode", ${TIMELINE} as timeline`

const VERSION_MIN = 150_000

const refuseUnless = (isGood: boolean, problem: string): void => {
  if (!isGood) throw new StoreProblem(problem)
}

const unlessAllowed = (name: Unsafe): string => `or allow it by name: MINTMARK_ALLOW_UNSAFE_DATABASE=${name}.`

/** Throws StoreProblem where the server cannot keep a promise that an operator has not given up by name. */
const refuseUnsafe = (server: Server, { allowed, pooling }: DatabaseAddress): void => {
  refuseUnless(
    server.version >= VERSION_MIN,
    `PostgreSQL ${Math.floor(server.version / 10_000)} is too old: expected 15 or newer.`,
  )
  refuseUnless(
    server.encoding === 'UTF8',
    `The encoding of the database is ${server.encoding}, which cannot hold every name: expected UTF8. Make another database with: create database … encoding 'UTF8' template template0.`,
  )
  refuseUnless(
    server.fsync === 'on' || allowed.includes('fsync'),
    `The database runs with fsync=off, and what was acknowledged would not survive a crash: switch it on, ${unlessAllowed('fsync')}`,
  )
  refuseUnless(
    server.fullPageWrites === 'on' || allowed.includes('full_page_writes'),
    `The database runs with full_page_writes=off, and a crash could tear its pages: switch it on, ${unlessAllowed('full_page_writes')}`,
  )
  refuseUnless(
    !/^\s*any\b/i.test(server.standbyNames) || allowed.includes('quorum'),
    `synchronous_standby_names is a quorum (${server.standbyNames}): name the standby (FIRST), ${unlessAllowed('quorum')}`,
  )
  refuseUnless(pooling === 'transaction' || hasSettings(server), POOLED_SESSION)
}

/** Whether the session has what was asked for as it began. A pooler may pass that over. */
const hasSettings = ({ synchronousCommit, planCacheMode }: Server): boolean =>
  synchronousCommit === SESSION_SETTINGS['synchronous_commit'] && planCacheMode === SESSION_SETTINGS['plan_cache_mode']

const POOLED_STATEMENTS =
  'The pooler before the database gives each statement another connection (pool_mode = statement), and no transaction can be made: expected pool_mode = transaction or session.'

// The beginning is awaited: a pooler that refuses it closes the connection, and what was sent on would hide why.
const inTransaction = async (connection: Connection, asked: Asked) => {
  await connection.ask({ text: 'begin' })
  const [answered] = await Promise.all([connection.ask(asked), connection.ask({ text: 'commit' })])
  return answered
}

const readServer = async (connection: Connection, { pooling }: DatabaseAddress): Promise<Server> => {
  try {
    const { rows } = await (pooling === 'session'
      ? connection.ask({ text: SERVER_STATE })
      : inTransaction(connection, { text: SERVER_STATE }))
    return rows[0] as Server // as the statement lists it
  } catch (fault) {
    // PgBouncer, whose messages are not translated.
    const isByStatement = fault instanceof Error && fault.message.includes('not allowed in statement pooling mode')
    throw isByStatement ? new StoreProblem(POOLED_STATEMENTS) : fault
  }
}

type Found = { readonly connection: Connection; readonly host: DatabaseHost; readonly timeline: string }

/** Throws Unavailable where the server takes no writes now; it may later. */
const refuseReadOnly = ({ standby, readOnly }: Server, { host, port }: DatabaseHost): void => {
  if (standby) throw new Unavailable(`${host}:${port} is a standby.`)
  if (readOnly === 'off') return
  throw new Unavailable(`${host}:${port} takes no writes: default_transaction_read_only is on there.`)
}

/** Connects to the host, where it is a primary that can be used. */
const tryHost = async (access: DatabaseAccess, host: DatabaseHost, options: ConnectOptions): Promise<Found> => {
  const connection = await connect(access, host, options)
  try {
    const server = await readServer(connection, access.address)
    refuseReadOnly(server, host)
    refuseUnsafe(server, access.address)
    return { connection, host, timeline: server.timeline ?? '' }
  } catch (fault) {
    connection.destroy()
    throw fault
  }
}

/** Returns all that answer within this time after the first. */
const settled = async (tries: readonly Promise<Found>[], otherPrimariesMs: number): Promise<readonly Found[]> => {
  const found: Found[] = []
  let isOver = false
  const all = tries.map(async one => {
    const primary = await one.catch(() => undefined)
    if (primary === undefined) return
    if (isOver) primary.connection.destroy()
    else found.push(primary)
  })
  await Promise.any(tries)
  await Promise.race([Promise.all(all), delay(otherPrimariesMs)])
  isOver = true
  return found
}

const reasonOf = (fault: unknown): unknown => {
  if (!(fault instanceof AggregateError)) return fault
  const faults: readonly unknown[] = fault.errors
  const problem = faults.find(one => one instanceof StoreProblem)
  if (problem !== undefined || faults.length === 1) return problem ?? faults[0]
  const said = faults.map(one => (one instanceof Error ? one.message : String(one)))
  return new Unavailable(`No host of the database is a primary: ${said.join(' ')}`)
}

type PrimaryOptions = ConnectOptions & {
  /** Called with the timeline of the primary before the connection is used. */
  readonly onTimeline?: (timeline: string) => void
}

/** A connection to the primary: of several that say so, to the one that was promoted last. */
export const connectToPrimary = async (
  access: DatabaseAccess,
  { onTimeline, ...options }: PrimaryOptions = {},
): Promise<Connection> => {
  try {
    const tries = access.address.hosts.map(host => tryHost(access, host, options))
    const found = await settled(tries, access.timing.otherPrimariesMs)
    const [newest, ...others] = found.toSorted((a, b) => (a.timeline < b.timeline ? 1 : -1))
    for (const { connection } of others) connection.destroy()
    if (newest === undefined) throw new Unavailable('No host of the database answered in time.')
    onTimeline?.(newest.timeline)
    return newest.connection
  } catch (fault) {
    throw reasonOf(fault)
  }
}

// Where they are known: PostgreSQL 15 and 16 have none for transactions.
const NO_TIMEOUTS = `select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout')`

/**
 * Connects without a deadline for statements. Behind a pooler the session cannot be set, and the deadline of the role
 * applies.
 */
export const connectUnhurried = async (
  { address, timing }: DatabaseAccess,
  options: ConnectOptions = {},
): Promise<Connection> => {
  const connection = await connectToPrimary({ address, timing: { ...timing, databaseAnswerMs: 0 } }, options)
  if (address.pooling === 'transaction') return connection
  try {
    await connection.ask({ text: NO_TIMEOUTS })
    return connection
  } catch (fault) {
    connection.destroy()
    throw fault
  }
}

const NOT_POOLED =
  'This command needs connections of its own: name the database itself in DATABASE_URL, past the pooler, and leave MINTMARK_DATABASE_POOLING out.'

/** Connects for a command that does one thing to a whole store, and counts on its session. */
export const connectPatiently = async (access: DatabaseAccess): Promise<Connection> => {
  refuseUnless(access.address.pooling === 'session', NOT_POOLED)
  return connectUnhurried(access)
}
