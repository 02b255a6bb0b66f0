// Opens the embedded store: what writes, a reading connection, and the ports over both.
import type { MessagePort } from 'node:worker_threads'
import { existsSync } from 'node:fs'
import { type Database, readServiceRow, statementsOf } from './connection/database.ts'
import { Unavailable } from '../../domain/refusal.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import type { Timing } from '../../ports/timing.ts'
import type { Traces } from '../../ports/traces.ts'
import type { SigningKeyRepository } from '../../ports/signing-keys.ts'
import { IGNORE, type OnFault } from '../background.ts'
import { makeNameCaches } from '../ledger/name-caches.ts'
import { awaitLease, LEASE_MS, type Wait } from '../lease.ts'
import { waitOf } from '../clocks.ts'
import { supplyKeys } from '../signing-keys/key-scheduler.ts'
import type { StoreMaker, StoreOptions } from '../store-options.ts'
import { makeHealth, makeStorePorts, type StorePorts, type StoreTiming } from '../store-ports.ts'
import { StoreProblem } from '../store-problem.ts'
import { type ClockCells, clockOf, leaseAhead, startClock } from './connection/clock.ts'
import { lastGiven } from './connection/transaction.ts'
import {
  isBusy,
  isStoreFault,
  lockedTooLong,
  openForMigration,
  openForReading,
  type OpenTiming,
} from './connection/connection.ts'
import { makeHotLedger, makeReader } from './reads/hot-ledger.ts'
import { applyMigrations, PROGRAM_VERSION, schemaVersionOf } from './schema/migrations.ts'
import { refuseBesideService, takeServingLock } from './connection/serving-lock.ts'
import { type BeforeJob, makeWriterClient } from './writer/writer-client.ts'
import { makeInlineWriter } from './writer/inline-writer.ts'
import { makeWriterThread } from './writer/make-writer-thread.ts'
import { startWriter, type WriterHost } from './writer/writer-host.ts'

/** The ports of the store, over a reading connection and the writing thread of the process. */
export type StoreConnection = StorePorts & {
  /** Takes a port to the writing thread, as the host's `attach` returns it. */
  readonly connect: (port: MessagePort) => void
  readonly close: () => void
}

/** The store of a process: its writing thread and its clock. Each thread that serves connects to it. */
export type StoreHost = Pick<WriterHost, 'attach' | 'close'> & {
  readonly file: string
  readonly clock: ClockCells
  readonly madeBy: StoreMaker
}

/** A host and one connection to it, for a process that does everything in one thread. */
export type SqliteStore = Omit<StoreConnection, 'close'> & {
  readonly host: StoreHost
  readonly madeBy: StoreMaker
  /** Commits what has been handed over and closes every connection. */
  readonly close: () => Promise<void>
}

export type SqliteOptions = StoreOptions & { readonly file: string }

const startClockAfter = async (
  lease: number,
  manual: SharedArrayBuffer | null,
  wait: Wait | null,
): Promise<ClockCells> => {
  await awaitLease(leaseAhead(lease, manual), wait, 'this machine')
  return startClock(lease, manual)
}

type MigrateOptions = {
  readonly file: string
  readonly timing: Pick<Timing, 'sqliteLockMs' | 'sqliteRetryMs'>
  readonly madeBy: StoreMaker
  readonly now?: number
}

/** Makes the store, or brings an older one up to date; all or nothing. */
export const migrateSqliteStore = (options: MigrateOptions) => {
  const db = openForMigration(options.file, options.timing)
  try {
    const { version } = schemaVersionOf(db)
    if (version > PROGRAM_VERSION) throw new StoreProblem(`${options.file} is of a newer version of Mintmark.`)
    const from = applyMigrations(db, { madeBy: options.madeBy, now: options.now ?? Date.now() })
    return Promise.resolve({ from, to: PROGRAM_VERSION })
  } catch (fault) {
    if (isBusy(fault)) throw lockedTooLong(options.file)
    if (!(fault instanceof Error && isStoreFault(fault))) throw fault
    throw new StoreProblem(
      `${options.file} was not migrated (${fault.message}): look at its disk, and run the command again.`,
    )
  } finally {
    db.close()
  }
}

const readHead = (db: Database) => {
  const sql = statementsOf(db)
  const { clockLease } = readServiceRow(sql)
  const madeBy = sql<{ madeBy: StoreMaker }>('select made_by as madeBy from service').get()?.madeBy ?? 'migrate'
  return { clockLease, madeBy }
}

type Attach = WriterHost['attach']

/** Starts the writing thread of a store that is in use already. A failure is reported as one of writing. */
const startLate = async (start: () => Promise<WriterHost>): Promise<WriterHost> => {
  try {
    return await start()
  } catch (fault) {
    throw fault instanceof StoreProblem ? new Unavailable(fault.message, { cause: fault }) : fault
  }
}

/** Starts the writing thread of a command at its first job. Most commands only read. */
const startAtFirstJob = (start: () => Promise<WriterHost>): LazyWriter => {
  const waiting = new Set<Parameters<Attach>[0]>()
  let started: WriterHost | undefined
  let starting: Promise<void> | undefined
  let isClosed = false
  const attachAll = async (): Promise<void> => {
    started = await startLate(start)
    for (const connect of waiting) started.attach(connect)
  }
  return {
    attach: connect => {
      if (started !== undefined) return started.attach(connect)
      waiting.add(connect)
      return () => void waiting.delete(connect)
    },
    beforeJob: () => {
      if (isClosed) throw new Unavailable('The store is closed.')
      return started === undefined ? (starting ??= attachAll()) : undefined
    },
    close: async () => {
      isClosed = true
      // The caller that asked for a job has got why it could not start.
      await starting?.catch(() => undefined)
      await started?.close()
    },
  }
}

type LazyWriter = Pick<WriterHost, 'attach' | 'close'> & { readonly beforeJob?: BeforeJob }

/** Opens a store that `migrate` made for its process. Throws StoreProblem with one line for a person. */
const startStore = async (
  options: SqliteOptions,
  onKeyWanted?: () => void,
): Promise<StoreHost & Pick<LazyWriter, 'beforeJob'>> => {
  const { file, timing, retention, clock, sealing, keys, onFault = IGNORE, addMetrics } = options
  if (retention === null && existsSync(file)) refuseBesideService(file)
  // Open until what writes has the store open: commands count on the files that are beside a store in use.
  const head = openForReading(file, timing)
  let unlock: (() => void) | undefined
  try {
    const { clockLease, madeBy } = readHead(head)
    if (retention !== null) unlock = takeServingLock(file)
    const manual = clock?.buffer ?? null
    const cells = await startClockAfter(clockLease, manual, retention === null ? null : waitOf(clock))
    const leaseMs = retention === null ? 0 : LEASE_MS
    const kept = { sealKey: sealing?.key ?? null, keyPolicy: keys?.policy ?? null }
    const maintenance = retention === null ? null : { retention, ...kept }
    const listeners = { onFault, onSeal: sealing?.onSeal, onKeyWanted }
    const metrics = addMetrics?.() ?? null
    const make = options.writer === 'inline' ? makeInlineWriter : makeWriterThread
    const start = () => startWriter({ make, file, timing, clock: cells, leaseMs, maintenance, metrics }, listeners)
    const writer: LazyWriter = retention === null ? startAtFirstJob(start) : await start()
    const close = async (): Promise<void> => {
      await writer.close()
      unlock?.()
    }
    return { ...writer, file, clock: cells, madeBy, close }
  } catch (fault) {
    unlock?.()
    throw fault
  } finally {
    head.close()
  }
}

/** Connects the thread that calls it. Nothing is written before `connect` has been given a port. */
export const connectStore = (options: {
  readonly file: string
  readonly clock: ClockCells
  readonly timing: StoreTiming & OpenTiming
  readonly onFault?: OnFault | undefined
  readonly beforeJob?: BeforeJob | undefined
  readonly metrics?: Metrics | undefined
  readonly traces?: Traces | undefined
}): StoreConnection => {
  const { timing, onFault = IGNORE, metrics = NO_METRICS } = options
  const db = openForReading(options.file, timing)
  const writer = makeWriterClient(options)
  const reader = makeReader(db, clockOf(options.clock), writer, { onFault, metrics })
  const nameCaches = makeNameCaches()
  const own = {
    hot: makeHotLedger(reader, nameCaches, writer),
    health: makeHealth(reader, () => writer.call('verifyWrite', null)),
    lastGiven,
    nameCaches,
    timing,
    onFault,
  }
  return { ...makeStorePorts(reader, writer, own), connect: writer.connect, close: reader.close }
}

/** Opens a store in one thread. Throws StoreProblem with one line for a person. */
export const openSqliteStore = async (options: SqliteOptions): Promise<SqliteStore> => {
  const opened = Promise.withResolvers<SigningKeyRepository>()
  const onKeyWanted = supplyKeys({
    maker: options.keys?.maker ?? null,
    signingKeys: opened.promise,
    onFault: options.onFault ?? IGNORE,
  })
  const host = await startStore(options, onKeyWanted)
  const { file, clock, madeBy, beforeJob } = host
  const { timing, onFault, metrics } = options
  const connection = connectStore({ file, clock, timing, onFault, beforeJob, metrics })
  opened.resolve(connection.signingKeys)
  host.attach(connection.connect)
  const close = async (): Promise<void> => {
    await connection.settle()
    await host.close()
    connection.close()
  }
  return { ...connection, host, madeBy, close }
}
