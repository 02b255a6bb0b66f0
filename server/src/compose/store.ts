// Opens the configured store, SQLite or PostgreSQL: everything else sees the same ports.
import { dirname } from 'node:path'
import type { StoreConfig } from '../config/config.ts'
import type { PostgresConfig } from '../config/database.ts'
import { makeFolders } from '../config/make-folders.ts'
import { refuseFolder, StartRefused } from '../config/start-refused.ts'
import type { Metrics } from '../ports/metrics.ts'
import { timingOf } from './timing.ts'
import type { Timing } from '../ports/timing.ts'
import type { Traces } from '../ports/traces.ts'
import type { OnFault } from '../store/background.ts'
import type { ClockCells } from '../store/sqlite/connection/clock.ts'
import { asStoreProblem } from '../store/sqlite/connection/connection.ts'
import { refuseBesideService } from '../store/sqlite/connection/serving-lock.ts'
import {
  connectStore,
  migrateSqliteStore,
  openSqliteStore,
  type SqliteStore,
  type StoreConnection,
  type StoreHost as SqliteHost,
} from '../store/sqlite/open.ts'
import type { StoreMaker, StoreOptions } from '../store/store-options.ts'
import { StoreProblem } from '../store/store-problem.ts'

// A StoreProblem is a reason not to start; anything else is a program error.
export const forPerson = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (fault) {
    const problem = asStoreProblem(fault)
    throw problem instanceof StoreProblem ? new StartRefused(problem.message, { cause: fault }) : fault
  }
}

export type StoreVersions = { readonly from: number; readonly to: number }

/** Serving threads connect to it; on PostgreSQL they connect to the database. */
export type StoreHost = Pick<SqliteHost, 'attach'> & { readonly clock: ClockCells | null }

/** The ports of a store in a process with one thread. */
export type Store = Omit<SqliteStore, 'host' | 'connect'> & { readonly host: StoreHost }

// There is no writing thread to connect to.
const NO_HOST: StoreHost = { clock: null, attach: () => () => undefined }

const openPostgres = async (address: PostgresConfig, options: StoreOptions): Promise<Store> => {
  const { openPostgresStore } = await import('../store/postgres/open.ts')
  return { ...(await openPostgresStore({ address, ...options })), host: NO_HOST }
}

/** Opens a migrated store. */
export const openStore = ({ databaseFile, postgres }: StoreConfig, options: StoreOptions): Promise<Store> =>
  forPerson(() =>
    postgres === null ? openSqliteStore({ file: databaseFile, ...options }) : openPostgres(postgres, options),
  )

/** The name of the store in messages. */
export const nameOfStore = ({ databaseFile, postgres }: Pick<StoreConfig, 'databaseFile' | 'postgres'>): string =>
  postgres === null ? databaseFile : `The database ${postgres.database}`

const OTHER_MAKER: Readonly<Record<StoreMaker, string>> = {
  migrate:
    'was made by `mintmark dev`, whose secrets lie beside it; set MINTMARK_DATA_DIR to another folder and run `mintmark migrate` there.',
  dev: 'was made by `mintmark migrate` for `mintmark serve`; set MINTMARK_DATA_DIR to another folder.',
}

/** Refuses a store that was made by the other command. */
export const refuseOtherMaker = (store: Store, config: StoreConfig, maker: StoreMaker): void => {
  if (store.madeBy !== maker) throw new StartRefused(`${nameOfStore(config)} ${OTHER_MAKER[maker]}`)
}

export const makeFolder = (path: string): void => {
  try {
    makeFolders(path)
  } catch (error) {
    throw refuseFolder(error, path)
  }
}

const makeFile = (file: string, maker: StoreMaker): Promise<StoreVersions> => {
  makeFolder(dirname(file))
  return forPerson(() => {
    refuseBesideService(file)
    return migrateSqliteStore({ file, timing: timingOf(), madeBy: maker })
  })
}

const makeDatabase = async (address: PostgresConfig, maker: StoreMaker): Promise<StoreVersions> => {
  const { migratePostgresStore } = await import('../store/postgres/schema/migrate.ts')
  return forPerson(() => migratePostgresStore({ address, timing: timingOf(), madeBy: maker, now: Date.now() }))
}

/** Creates the store, or migrates an older one. */
export const makeStore = ({ databaseFile, postgres }: StoreConfig, maker: StoreMaker): Promise<StoreVersions> =>
  postgres === null ? makeFile(databaseFile, maker) : makeDatabase(postgres, maker)

/** The ports for a serving thread. `connect` receives a port to the writing thread, if there is one. */
export type Connected = Omit<StoreConnection, 'close'> & { readonly close: () => void | Promise<void> }

type StoreParts = {
  readonly onFault: OnFault
  readonly metrics: Metrics
  readonly traces: Traces
  readonly timing: Timing
}

export const connectToStore = async (
  { databaseFile, postgres }: StoreConfig,
  clock: ClockCells | null,
  { onFault, metrics, traces, timing }: StoreParts,
): Promise<Connected> => {
  if (postgres === null) {
    if (clock === null) throw new Error('A thread that serves was given no clock.')
    return forPerson(() => connectStore({ file: databaseFile, clock, onFault, metrics, traces, timing }))
  }
  const { openPostgresStore } = await import('../store/postgres/open.ts')
  const store = await forPerson(() =>
    openPostgresStore({ address: postgres, timing, retention: null, serves: true, onFault, metrics }),
  )
  return { ...store, connect: port => port.close() }
}
