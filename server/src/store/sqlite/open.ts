// Opens the embedded store: a writing thread, a reading connection, and the ports over both.
import { setTimeout as delay } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { existsSync } from 'node:fs'
import type { KeyPolicy } from '../../domain/key-life.ts'
import type { Seal } from '../../domain/seal.ts'
import type { SigningKeyMaker, SigningKeyRegister } from '../../ports/signing-keys.ts'
import type { SealKey } from '../audit/seals.ts'
import { makeLabels } from '../ledger/labels.ts'
import { LEASE_MS, LEASE_WAIT_MS } from '../lease.ts'
import type { Retention } from '../retention.ts'
import { supplyKeys } from '../signing-keys/supply-keys.ts'
import { makeStorePorts, type StorePorts } from '../store-ports.ts'
import { StoreProblem } from '../store-problem.ts'
import { CLOCK_AHEAD_MS_MAX, type ClockCells, clockOf, leaseAhead, type ManualClock, startClock } from './clock.ts'
import { isBusy, openForMigration, openForReading, refuseForeignUser } from './connection.ts'
import { makeHealth } from './health.ts'
import { makeHotLedger } from './hot-ledger.ts'
import { applyMigrations, PROGRAM_VERSION, schemaVersionOf } from './migrations.ts'
import { makeReader } from './reader.ts'
import { readServiceRow } from './service-row.ts'
import { takeServingLock } from './serving-lock.ts'
import { statementsOf } from './statements.ts'
import { makeWriterClient } from './writer-client.ts'
import { startWriter, type WriterHost } from './writer-host.ts'

export type StoreMaker = 'dev' | 'migrate'

/** The ports of the store, over a reading connection and the writing thread of the process. */
export type StoreConnection = StorePorts & {
  /** Takes a port to the writing thread, as the host's `attach` gives it. */
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

type Wait = (ms: number) => Promise<void>

export type StoreOptions = {
  readonly file: string
  /** What the service keeps up and for how long; null in a process that acts once: it fills and removes nothing. */
  readonly retention: Retention | null
  /** A clock that a test sets; no setting of `serve` reaches it. */
  readonly clock?: ManualClock
  /** Waits for a clock that is behind the lease: by node's timer, unless a test moves its clock on. */
  readonly wait?: Wait
  /** How long a write may take before its caller is refused; STORE_DEADLINE_MS unless a test has less patience. */
  readonly deadlineMs?: number
  /** With what the audit log is sealed, and who is told; without it nothing is. */
  readonly sealing?: { readonly key: SealKey; readonly onSeal: (seal: Seal) => void }
  /** How signing keys live, and who makes the next; without it they stay as they are. */
  readonly keys?: { readonly policy: KeyPolicy; readonly maker: Pick<SigningKeyMaker, 'make'> }
  /** Told what ended a writing thread. */
  readonly onFault?: (fault: unknown) => void
}

const startClockAfter = async (
  lease: number,
  manual: SharedArrayBuffer | null,
  wait: Wait | null,
): Promise<ClockCells> => {
  const ahead = leaseAhead(lease, manual)
  if (ahead > CLOCK_AHEAD_MS_MAX) {
    const seconds = Math.round(ahead / 1000)
    throw new StoreProblem(
      `The clock of this machine is ${seconds} s behind the store's: correct it, or end all tokens and start anew with 'mintmark clock reset'.`,
    )
  }
  // A verifier without leeway refuses a token whose `iat` lies in its future. A lease further ahead is not waited out,
  // but so much that starts one after another do not carry it on.
  if (wait !== null && ahead > 0) await wait(ahead <= LEASE_WAIT_MS ? ahead : LEASE_MS)
  return startClock(lease, manual)
}

/** Makes the store, or brings an older one up to date; all or nothing. */
export const migrateSqliteStore = (options: { file: string; madeBy: StoreMaker; now?: number }) => {
  const db = openForMigration(options.file)
  try {
    const { version: from } = schemaVersionOf(db)
    if (from > PROGRAM_VERSION) throw new StoreProblem(`${options.file} is of a newer version of Mintmark.`)
    applyMigrations(db, { madeBy: options.madeBy, now: options.now ?? Date.now() })
    return Promise.resolve({ from, to: PROGRAM_VERSION })
  } catch (fault) {
    if (!isBusy(fault)) throw fault
    throw new StoreProblem(`Another process held the lock of ${options.file} too long: run the command again.`)
  } finally {
    db.close()
  }
}

const readHead = (file: string) => {
  const db = openForReading(file)
  try {
    const sql = statementsOf(db)
    const { clockLease } = readServiceRow(sql)
    const madeBy = sql<{ madeBy: StoreMaker }>('select made_by as madeBy from service').get()?.madeBy ?? 'migrate'
    return { clockLease, madeBy }
  } finally {
    db.close()
  }
}

/** Starts the writing thread of a store that `migrate` made. Throws StoreProblem with one line for a person. */
export const startStore = async (
  { file, retention, clock, wait = delay, sealing, keys, onFault }: StoreOptions,
  onKeyWanted?: () => void,
): Promise<StoreHost> => {
  if (retention === null && existsSync(file)) refuseForeignUser(file)
  const { clockLease, madeBy } = readHead(file)
  const unlock = retention === null ? () => undefined : takeServingLock(file)
  try {
    const manual = clock?.buffer ?? null
    const cells = await startClockAfter(clockLease, manual, retention === null ? null : wait)
    const leaseMs = retention === null ? 0 : LEASE_MS
    const kept = { sealKey: sealing?.key ?? null, keyPolicy: keys?.policy ?? null }
    const upkeep = retention === null ? null : { retention, ...kept }
    const listeners = { onFault, onSeal: sealing?.onSeal, onKeyWanted }
    const writer = await startWriter({ file, clock: cells, leaseMs, upkeep }, listeners)
    const close = async (): Promise<void> => {
      await writer.close()
      unlock()
    }
    return { file, clock: cells, madeBy, attach: writer.attach, close }
  } catch (fault) {
    unlock()
    throw fault
  }
}

/** Connects the thread that calls it. Nothing is written before `connect` has been given a port. */
export const connectStore = (options: {
  readonly file: string
  readonly clock: ClockCells
  readonly deadlineMs?: number | undefined
}): StoreConnection => {
  const db = openForReading(options.file)
  const writer = makeWriterClient(options.deadlineMs)
  const reader = makeReader(db, clockOf(options.clock), writer)
  const labels = makeLabels()
  const own = { hot: makeHotLedger(reader, labels, writer), health: makeHealth(reader, writer), labels }
  return { ...makeStorePorts(reader, writer, own), connect: writer.connect, close: reader.close }
}

/** Opens a store in one thread. Throws StoreProblem with one line for a person. */
export const openSqliteStore = async (options: StoreOptions): Promise<SqliteStore> => {
  const opened = Promise.withResolvers<SigningKeyRegister>()
  const onKeyWanted = supplyKeys({
    maker: options.keys?.maker ?? null,
    register: opened.promise,
    onFault: fault => options.onFault?.(fault),
  })
  const host = await startStore(options, onKeyWanted)
  const { file, clock, madeBy } = host
  const connection = connectStore({ file, clock, deadlineMs: options.deadlineMs })
  opened.resolve(connection.signingKeys)
  host.attach(connection.connect)
  const close = async (): Promise<void> => {
    await connection.settle()
    await host.close()
    connection.close()
  }
  return { ...connection, host, madeBy, close }
}
