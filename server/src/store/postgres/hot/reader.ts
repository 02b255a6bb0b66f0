// Reads for statement programs: in one snapshot each, at the time of the store, and no answer at a time that no lease covers.
import type { Metrics } from '../../../ports/metrics.ts'
import type { CutOff } from '../../../domain/ledger/ledger.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { LATE, type Lease } from '../../lease.ts'
import { readOpenCutOffs } from '../../ledger/judge.ts'
import type { Sets } from '../../ledger/interned-sets.ts'
import type { Program } from '../../statement-program.ts'
import type { Reader, Snapshot } from '../../snapshot.ts'
import { askAgain } from '../connection/faults.ts'
import type { Connection } from '../connection/connection.ts'
import { type BatchedLookup, type Moment, readMoment } from './batched-lookup.ts'
import { timeRead } from '../../time-read.ts'
import { endedBetween } from '../partitions/partitions.ts'
import type { Session } from '../connection/session.ts'

type Read = { readonly value: unknown } | { readonly fault: unknown } | { readonly asks: true }

type ReaderOptions = {
  readonly lookup: BatchedLookup
  readonly sets: Sets
  readonly lease: Lease
  /** When the request that begins now must be answered. */
  readonly deadline: () => MonotonicMilliseconds
  readonly metrics: Metrics
}

const snapshotOf = ({ service, now }: Moment, sets: Sets): Snapshot => {
  let cutOffs: readonly CutOff[] | undefined
  return {
    service,
    now,
    sets,
    endedBetween,
    cutOffs: function* () {
      cutOffs ??= yield* readOpenCutOffs()
      return cutOffs
    },
  }
}

// What is cached asks for nothing but the numbers of the service, and they are read once for all who ask.
const answerFrom = (snapshot: Snapshot, work: (snapshot: Snapshot) => Program<unknown>): Read => {
  try {
    const step = work(snapshot).next()
    return step.done === true ? { value: step.value } : { asks: true }
  } catch (fault) {
    return { fault }
  }
}

export const makeReader = (session: Session, { lookup, sets, lease, deadline, metrics }: ReaderOptions): Reader => {
  const { sidePool, runner, transactions } = session

  const readWhole = <T>(work: (snapshot: Snapshot) => Program<T>): Promise<T> => {
    const until = deadline()
    const readOn = (connection: Connection): Promise<T> =>
      transactions.read(connection, async () => {
        const snapshot = snapshotOf(await readMoment(connection, session), sets)
        return runner.runProgram(connection, work(snapshot))
      })
    const reading = askAgain(() => sidePool.use(readOn, until))
    return timeRead(metrics, 'snapshot', reading)
  }

  const readUntimed = async <T>(work: (snapshot: Snapshot) => Program<T>): Promise<T> => {
    const { moment } = await lookup([], deadline())
    const read = answerFrom(snapshotOf(moment, sets), work)
    if ('fault' in read) throw read.fault
    return 'asks' in read ? readWhole(work) : (read.value as T)
  }

  function* timed<T>(snapshot: Snapshot, work: (snapshot: Snapshot) => Program<T>): Program<T | typeof LATE> {
    return lease.covers(snapshot.now, snapshot.service.clockLease) ? yield* work(snapshot) : LATE
  }

  return {
    readUntimed,
    read: <T>(work: (snapshot: Snapshot) => Program<T>): Promise<T> =>
      lease.answer(() => readUntimed(snapshot => timed(snapshot, work))),
  }
}
