// The reading side of a serving thread: snapshots of the store, with the store's clock, and no statement left open.
import { type Database, readServiceRow, runProgram, type Statements, statementsOf } from '../connection/database.ts'
import type { CutOff } from '../../../domain/ledger/ledger.ts'
import { Unavailable } from '../../../domain/refusal.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { readComparedCutOffs, readOpenCutOffs } from '../../ledger/cut-offs.ts'
import type { LabelsOf, Metrics } from '../../../ports/metrics.ts'
import { LATE, makeLease } from '../../lease.ts'
import { makeSets } from '../../ledger/interned-sets.ts'
import type { OnFault } from '../../background.ts'
import type { Program } from '../../statement-program.ts'
import type { Reader, Snapshot } from '../../snapshot.ts'
import { isBusy, isStoreFault } from '../connection/connection.ts'
import { endedBetween } from '../connection/transaction.ts'
import type { SqliteWriter } from '../writer/writer-client.ts'

/** A snapshot, and the statements of its connection for what is done most. */
export type SqliteSnapshot = Snapshot & {
  readonly sql: Statements
  /** The open cut-offs that look-ups compare. */
  readonly comparedCutOffs: () => Program<readonly CutOff[]>
}

export type SqliteReader = Reader & {
  /** Like `read`, for work that is no statement program. */
  readonly readDirectly: <T>(work: (snapshot: SqliteSnapshot) => T) => Promise<T>
  readonly close: () => void
}

type Kind = LabelsOf<'mintmark_store_read_seconds'>['kind']

/** Reads once in a snapshot, however often it is asked. */
const once = (read: () => Program<readonly CutOff[]>) => {
  let seen: readonly CutOff[] | undefined
  return function* (): Program<readonly CutOff[]> {
    seen ??= yield* read()
    return seen
  }
}

const ATTEMPTS = 5

const asUnavailable = (fault: unknown): unknown =>
  isStoreFault(fault) && fault instanceof Error && !(fault instanceof Unavailable)
    ? new Unavailable(`The store cannot be read: ${fault.message}.`)
    : fault

/** No `await` stands between begin and commit: one thread, one snapshot. */
export const makeReader = (
  db: Database,
  clock: () => Milliseconds,
  writer: Pick<SqliteWriter, 'call'>,
  { onFault, metrics }: { readonly onFault: OnFault; readonly metrics: Metrics },
): SqliteReader => {
  const sql = statementsOf(db)
  const sets = makeSets()
  const open = (kind: Kind) => metrics.histogram('mintmark_store_read_seconds', { kind })
  const observe = { tokens: open('tokens'), snapshot: open('snapshot') }
  const lease = makeLease(() => writer.call('renewLease', null), onFault)

  const snapshot = <T>(work: (snapshot: SqliteSnapshot) => T): T => {
    sql('begin').run()
    try {
      const service = readServiceRow(sql)
      const now = Math.max(clock(), service.lastAt)
      const [cutOffs, comparedCutOffs] = [once(readOpenCutOffs), once(readComparedCutOffs)]
      return work({ sql, sets, service, now, cutOffs, comparedCutOffs, endedBetween })
    } finally {
      if (db.inTransaction()) sql('commit').run()
    }
  }

  const attempt = <T>(kind: Kind, work: (snapshot: SqliteSnapshot) => T): T => {
    const began = performance.now()
    try {
      return attemptOften(work)
    } finally {
      observe[kind]((performance.now() - began) / 1000)
    }
  }

  const attemptOften = <T>(work: (snapshot: SqliteSnapshot) => T): T => {
    for (let n = 1; ; n += 1) {
      try {
        return snapshot(work)
      } catch (fault) {
        if (!isBusy(fault) || n >= ATTEMPTS) throw asUnavailable(fault)
      }
    }
  }

  const readAs = <T>(kind: Kind, work: (snapshot: SqliteSnapshot) => T): Promise<T> =>
    lease.answer(() => attempt(kind, seen => (lease.covers(seen.now, seen.service.clockLease) ? work(seen) : LATE)))

  return {
    readDirectly: work => readAs('tokens', work),
    read: program => readAs('snapshot', seen => runProgram(sql, program(seen))),
    readUntimed: async program => attempt('snapshot', seen => runProgram(sql, program(seen))),
    close: () => db.close(),
  }
}
