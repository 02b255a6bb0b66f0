// Opens the embedded store: a writing thread, a reading connection, and the ports over both.
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentRegister, ApiKeyRegister, SigningKeyRegister, StoreHealth, TokenLedger } from '../../ports.ts'
import {
  CLOCK_AHEAD_MS_MAX,
  type ClockCells,
  clockOf,
  leaseAhead,
  LEASE_WAIT_MS,
  type ManualClock,
  startClock,
} from './clock.ts'
import { openForMigration, openForReading, refuseForeignUser, StoreProblem } from './connection.ts'
import { labelsOf } from './labels.ts'
import { makeLedger } from './ledger.ts'
import { applyMigrations, PROGRAM_VERSION, schemaVersionOf } from './migrations.ts'
import { makeReader } from './reader.ts'
import { makeAgentRegister, makeApiKeyRegister, makeHealth, makeSigningKeyRegister } from './registers.ts'
import type { Retention } from './retention.ts'
import { readServiceRow } from './service-row.ts'
import { statementsOf } from './statements.ts'
import { startWriter } from './writer.ts'

export type StoreMaker = 'dev' | 'migrate'

export type SqliteStore = {
  readonly ledger: TokenLedger
  readonly agents: AgentRegister
  readonly apiKeys: ApiKeyRegister
  readonly signingKeys: SigningKeyRegister
  readonly health: StoreHealth
  readonly madeBy: StoreMaker
  /** Commits what has been handed over and closes every connection. */
  readonly close: () => Promise<void>
}

export type StoreOptions = {
  readonly file: string
  /** What the service keeps up and for how long; null in a process that acts once: it fills and removes nothing. */
  readonly retention: Retention | null
  /** A clock that a test sets; no setting of `serve` reaches it. */
  readonly clock?: ManualClock
  /** How long a write may take before its caller is refused; STORE_DEADLINE_MS unless a test has less patience. */
  readonly deadlineMs?: number
}

const startClockAfter = async (
  lease: number,
  manual: SharedArrayBuffer | null,
  waits: boolean,
): Promise<ClockCells> => {
  const ahead = leaseAhead(lease, manual)
  if (ahead > CLOCK_AHEAD_MS_MAX) {
    const seconds = Math.round(ahead / 1000)
    throw new StoreProblem(
      `The clock of this machine is ${seconds} s behind the store's: correct it, or end all tokens and start anew with 'mintmark clock reset'.`,
    )
  }
  // A verifier without leeway refuses a token whose `iat` lies in its future.
  if (waits && ahead > 0 && ahead <= LEASE_WAIT_MS) await delay(ahead)
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
  } finally {
    db.close()
  }
}

/** Opens a store that `migrate` made. Throws StoreProblem with one line for a person. */
export const openSqliteStore = async ({ file, retention, clock, deadlineMs }: StoreOptions): Promise<SqliteStore> => {
  if (!existsSync(file)) throw new StoreProblem(`${file} does not exist: run 'mintmark migrate' first.`)
  if (retention === null) refuseForeignUser(file)
  const manual = clock?.buffer ?? null
  const db = openForReading(file)
  try {
    const sql = statementsOf(db)
    const { clockLease } = readServiceRow(sql)
    const madeBy = sql<{ madeBy: StoreMaker }>('select made_by as madeBy from service').get()?.madeBy ?? 'migrate'
    const cells = await startClockAfter(clockLease, manual, retention !== null && clock === undefined)
    const writer = await startWriter({ file, clock: cells, upkeep: retention }, deadlineMs)
    const reader = makeReader(db, clockOf(cells), writer)
    const labels = labelsOf(sql)
    return {
      ledger: makeLedger(reader, labels, writer),
      agents: makeAgentRegister(reader, writer),
      apiKeys: makeApiKeyRegister(reader, writer),
      signingKeys: makeSigningKeyRegister(reader, writer),
      health: makeHealth(reader, writer),
      madeBy,
      close: async () => {
        await writer.close()
        reader.close()
      },
    }
  } catch (fault) {
    db.close()
    throw fault
  }
}
