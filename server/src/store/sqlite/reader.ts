// The reading side of a serving thread: snapshots of the store, with the store's clock, and no statement left open.
import type { Database } from 'better-sqlite3'
import type { CutOff } from '../../domain/ledger.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Milliseconds } from '../../domain/time.ts'
import { readOpenCutOffs } from '../ledger/cut-offs.ts'
import { makeSets } from '../ledger/sets.ts'
import type { Script } from '../script.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { LEASE_MS } from './clock.ts'
import { isBusy, isStoreFault } from './connection.ts'
import { drive } from './drive.ts'
import { readServiceRow } from './service-row.ts'
import { type Statements, statementsOf } from './statements.ts'
import { endedBetween } from './transaction.ts'
import type { SqliteWriter } from './writer-client.ts'

/** A snapshot, and the statements of its connection for what is done most. */
export type SqliteSnapshot = Snapshot & { readonly sql: Statements }

export type SqliteReader = Reader & {
  /** As `read`, for work that is no script. */
  readonly readDirectly: <T>(work: (snapshot: SqliteSnapshot) => T) => Promise<T>
  readonly close: () => void
}

type Seen = { cutOffs: readonly CutOff[] | undefined }

function* readOnce(seen: Seen): Script<readonly CutOff[]> {
  seen.cutOffs ??= yield* readOpenCutOffs()
  return seen.cutOffs
}

const ATTEMPTS = 5

const asUnavailable = (fault: unknown): unknown =>
  isStoreFault(fault) && fault instanceof Error && !(fault instanceof Unavailable)
    ? new Unavailable(`The store cannot be read: ${fault.message}`)
    : fault

/** No `await` stands between begin and commit: one thread, one snapshot. */
export const makeReader = (
  db: Database,
  clock: () => Milliseconds,
  writer: Pick<SqliteWriter, 'call'>,
): SqliteReader => {
  const sql = statementsOf(db)
  const sets = makeSets()
  let renewing: Promise<unknown> | undefined

  const renewLease = (): Promise<unknown> => {
    renewing ??= writer.call('renewLease', null).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  const snapshot = <T>(work: (snapshot: SqliteSnapshot) => T): T => {
    sql('begin').run()
    try {
      const service = readServiceRow(sql)
      const seen: Seen = { cutOffs: undefined }
      const now = Math.max(clock(), service.lastAt)
      return work({ sql, sets, service, now, cutOffs: () => readOnce(seen), endedBetween })
    } finally {
      if (db.inTransaction) sql('commit').run()
    }
  }

  const attempt = <T>(work: (snapshot: SqliteSnapshot) => T): T => {
    for (let n = 1; ; n += 1) {
      try {
        return snapshot(work)
      } catch (fault) {
        if (!isBusy(fault) || n >= ATTEMPTS) throw asUnavailable(fault)
      }
    }
  }

  const LATE = Symbol('the lease of the clock has run out')

  const readDirectly: SqliteReader['readDirectly'] = async work => {
    for (let n = 0; n < ATTEMPTS; n += 1) {
      const answer = attempt(seen => {
        if (seen.now > seen.service.clockLease) return LATE
        if (seen.now > seen.service.clockLease - LEASE_MS / 2) renewLease().catch(() => undefined)
        return work(seen)
      })
      if (answer !== LATE) return answer
      await renewLease()
    }
    throw new Unavailable('The lease of the clock could not be renewed in time.')
  }

  return {
    readDirectly,
    read: script => readDirectly(seen => drive(sql, script(seen))),
    readUntimed: async script => attempt(seen => drive(sql, script(seen))),
    close: () => db.close(),
  }
}
