// One connection to the primary: statements are sent as they come, and answered in that order.
import { isIP } from 'node:net'
import pg from 'pg'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { DatabaseAccess, DatabaseAddress, DatabaseHost } from './address.ts'
import { StoreProblem } from '../../store-problem.ts'
import { faultOfStatement, isOver } from './faults.ts'
import { parserOf } from './values.ts'

export type Asked = {
  readonly text: string
  readonly values?: readonly unknown[]
  /** Under which the server keeps the statement prepared; without it it is parsed each time. */
  readonly name?: string | undefined
}

export type Answered = {
  readonly rows: readonly unknown[]
  readonly changes: number
  /** What the server says that it did: COMMIT, ROLLBACK, INSERT, … */
  readonly command: string
}

export type Connection = {
  /** Sends a statement, whether or not the one before was answered. Throws Unavailable where the connection failed. */
  readonly ask: (asked: Asked) => Promise<Answered>
  /** How many notices the server has sent: a commit that was not replicated comes with one, and no error. */
  readonly notices: () => number
  /** Whether the connection has not failed yet; after a failure it is closed, and the outcome of its statements is unknown. */
  readonly isUsable: () => boolean
  /** Whether the process stays for it. */
  readonly keepsProcess: (keeps: boolean) => void
  readonly destroy: () => void
  /** Ends it in good order, where nothing is under way. */
  readonly close: () => Promise<void>
}

/** Asks for the first row, whose shape the caller names beside the columns that it lists; undefined where there is none. */
export const askFirst = async <Row>(
  { ask }: Pick<Connection, 'ask'>,
  text: string,
  ...values: readonly unknown[]
): Promise<Row | undefined> => (await ask({ text, values })).rows[0] as Row | undefined

/** Asks for a row that is there. */
export const askRow = async <Row>(
  connection: Pick<Connection, 'ask'>,
  text: string,
  ...values: readonly unknown[]
): Promise<Row> => {
  const row = await askFirst<Row>(connection, text, ...values)
  if (row === undefined) throw new Error('The database has no row where one has to be.')
  return row
}

/** The time of the database. */
export const readNow = async (connection: Pick<Connection, 'ask'>): Promise<Milliseconds> =>
  (await askRow<{ now: number }>(connection, 'select mintmark_now() as now')).now

/** What every transaction rests on, whatever the server, the database or the role have as their own. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  synchronous_commit: 'on',
  default_transaction_isolation: 'read\\ committed',
  // A canceled wait for the standby is reported as a warning. Lesser notices are turned off, so that they are not taken for it.
  client_min_messages: 'warning',
  // How bytes come, and how a list says that a value is missing.
  bytea_output: 'hex',
  array_nulls: 'on',
  // Where a policy would hide rows, a revocation among them, the statement fails.
  row_security: 'off',
  // Plans are made once, and for tables of any size: one that was made while a partition was empty must not read all of it
  // when it is full, as it would until the next analysis.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}

/** Returns the settings of a session, with the deadlines that the server itself enforces. */
export const sessionSettingsOf = ({
  statementMs,
  idleTransactionMs,
}: Pick<DatabaseAccess['timing'], 'statementMs' | 'idleTransactionMs'>): Readonly<Record<string, string>> => ({
  ...SESSION_SETTINGS,
  statement_timeout: `${statementMs}`,
  lock_timeout: `${statementMs}`,
  idle_in_transaction_session_timeout: `${idleTransactionMs}`,
})

const optionsOf = ({ address, timing }: DatabaseAccess): { options?: string } =>
  // A pooler in transaction mode takes no settings of a session: each transaction sets them.
  address.pooling === 'transaction'
    ? {}
    : {
        options: Object.entries(sessionSettingsOf(timing))
          .map(([name, value]) => `-c ${name}=${value}`)
          .join(' '),
      }

const tlsOf = ({ tls }: DatabaseAddress, { host }: DatabaseHost): pg.ClientConfig['ssl'] =>
  tls === null
    ? false
    : {
        rejectUnauthorized: true,
        // RFC 6066 §3: an address is not sent as the name of a server. What the certificate must name it is all the same.
        ...(isIP(host) === 0 && { servername: host }),
        ...(tls.ca !== null && { ca: tls.ca }),
      }

export type ConnectOptions = {
  /** What the database calls the session: `MIGRATING` where it is to outlive those of programs that serve. */
  readonly name?: string
}

/** Programs that do not look at the ancestors of a token call their sessions so. */
export const BEFORE_LINEAGE = 'mintmark'
/** Programs that end tokens without saying so in the revocation feed call them so. */
export const BEFORE_FEED = 'mintmark serve'
/** Programs that do not know which acts end tokens of some principals alone call them so. */
export const BEFORE_JWT_EXCHANGE = ['mintmark serving', 'mintmark service'] as const
/** Programs that know no blocked subjects call them so. */
export const BEFORE_BLOCKED_SUBJECTS = 'mintmark server'
/** Programs that know no end of an agent call them so. */
export const BEFORE_ENDS_OF_AGENTS = 'mintmark tokens'
export const SERVING = 'mintmark agents'

/** Names of sessions as a list of SQL. */
export const listOfNames = (names: readonly string[]): string => names.map(name => `'${name}'`).join(', ')

/** All that programs of any version which serve call their sessions. */
export const SERVING_EVER = listOfNames([
  BEFORE_LINEAGE,
  BEFORE_FEED,
  ...BEFORE_JWT_EXCHANGE,
  BEFORE_BLOCKED_SUBJECTS,
  BEFORE_ENDS_OF_AGENTS,
  SERVING,
])
export const MIGRATING = 'mintmark migrate'

const clientOf = (access: DatabaseAccess, host: DatabaseHost, { name = SERVING }: ConnectOptions): pg.Client => {
  const { address, timing } = access
  return new pg.Client({
    ...host,
    database: address.database,
    user: address.user,
    // A function: in place of an empty password the library would take one from the environment, or from a file.
    password: () => address.password ?? '',
    ssl: tlsOf(address, host),
    application_name: name,
    ...optionsOf(access),
    connectionTimeoutMillis: timing.connectMs,
    query_timeout: timing.databaseAnswerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: timing.keepAliveMs,
    pipeline: true,
    types: { getTypeParser: parserOf },
  })
}

// PgBouncer, whose messages are not translated.
const TAKES_NO_OPTIONS = /^unsupported startup parameter/

export const POOLED_SESSION =
  'A pooler stands before the database and does not keep the settings of a session: set MINTMARK_DATABASE_POOLING=transaction, whatever its pool_mode, or connect past it.'

/** Connects to one host, whatever it is. */
export const connect = async (
  access: DatabaseAccess,
  host: DatabaseHost,
  options: ConnectOptions = {},
): Promise<Connection> => {
  const { pooling } = access.address
  const client = clientOf(access, host, options)
  // The types of the library leave them out.
  const held = client as pg.Client & { readonly ref: () => void; readonly unref: () => void }
  let usable = true
  let notices = 0
  const destroy = (): void => {
    if (!usable) return
    usable = false
    client.end().catch(() => undefined)
    client.connection.stream.destroy()
  }
  const close = async (): Promise<void> => {
    usable = false
    await client.end().catch(() => undefined)
  }
  const fail = (): void => {
    usable = false
  }
  client.on('error', fail)
  client.on('end', fail)
  client.on('notice', () => {
    notices += 1
  })
  try {
    await client.connect()
  } catch (fault) {
    destroy()
    // Whatever the server said, it was no statement of ours.
    const reason = fault instanceof Error ? fault.message : String(fault)
    if (TAKES_NO_OPTIONS.test(reason)) throw new StoreProblem(POOLED_SESSION)
    throw new Unavailable(`The database at ${host.host}:${host.port} cannot be reached: ${reason}.`)
  }
  return {
    ask: async ({ text, values = [], name }) => {
      try {
        const { rows, rowCount, command } = await client.query({
          text,
          values: [...values],
          // A pooler that changes servers does not find on one what was prepared on another.
          ...(name !== undefined && pooling === 'session' && { name }),
        })
        return { rows, changes: rowCount ?? 0, command }
      } catch (fault) {
        if (isOver(fault)) destroy()
        throw faultOfStatement(fault)
      }
    },
    notices: () => notices,
    isUsable: () => usable,
    keepsProcess: keeps => (keeps ? held.ref() : held.unref()),
    destroy,
    close,
  }
}
