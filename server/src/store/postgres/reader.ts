// Reads for scripts: in one snapshot each, at the time of the store, and no answer at a time that no lease covers.
import { Unavailable } from '../../domain/refusal.ts'
import type { CutOff } from '../../domain/ledger.ts'
import type { MonotonicMilliseconds } from '../../domain/time.ts'
import { LATE, type Lease } from '../lease.ts'
import { readOpenCutOffs } from '../ledger/cut-offs.ts'
import type { Sets } from '../ledger/sets.ts'
import type { Script } from '../script.ts'
import type { ServiceRow } from '../service-row.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { makeBatches } from './batches.ts'
import type { Answered, Asked } from './connection.ts'
import { endedBetween } from './partitions.ts'
import type { Session } from './session.ts'

const TOGETHER_MAX = 256
const FLIGHTS_MAX = 2

const SERVICE: Asked = {
  name: 'service',
  text: `select seq, ended_seq as "endedSeq", last_end_seq as "lastEndSeq", clock_lease as "clockLease",
  last_at as "lastAt", mintmark_now() as told, case when pg_is_in_recovery() then 1 else 0 end as "isStandby"
  from service`,
}

type Head = ServiceRow & { readonly told: number; readonly isStandby: number }

type Work = (snapshot: Snapshot) => Script<unknown>

type Read = { readonly value: unknown } | { readonly fault: unknown } | { readonly asks: true }

export type ReaderOptions = {
  readonly sets: Sets
  readonly lease: Lease
  /** When the request that begins now must be answered. */
  readonly deadline: () => MonotonicMilliseconds
}

const snapshotOf = ({ told, isStandby, ...service }: Head, { clock }: Session, sets: Sets): Snapshot => {
  if (isStandby === 1) throw new Unavailable('The database has become a standby.')
  const now = clock.observe({ told, ...service })
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

// What is remembered asks for nothing but the numbers of the service, and they are read once for all who ask.
const answerFrom = (snapshot: Snapshot, work: Work): Read => {
  try {
    const step = work(snapshot).next()
    return step.done === true ? { value: step.value } : { asks: true }
  } catch (fault) {
    return { fault }
  }
}

export const makeReader = (session: Session, { sets, lease, deadline }: ReaderOptions): Reader => {
  const { pool, sidePool, driver, transactions } = session

  const readSnapshot = async (ask: (asked: Asked) => Promise<Answered>): Promise<Snapshot> => {
    const { rows } = await ask(SERVICE)
    const [told] = rows as readonly Head[] // as the statement lists it
    if (told === undefined) throw new Error('The store has no service row.')
    return snapshotOf(told, session, sets)
  }

  const readWhole = <T>(work: (snapshot: Snapshot) => Script<T>): Promise<T> =>
    sidePool.use(
      connection =>
        transactions.read(connection, async () => driver.drive(connection, work(await readSnapshot(connection.ask)))),
      deadline(),
    )

  const fromMemory = makeBatches<Work, Read>({
    pool,
    flightsMax: FLIGHTS_MAX,
    sizeMax: TOGETHER_MAX,
    send: async (connection, works) => {
      const snapshot = await readSnapshot(asked => transactions.once(connection, asked))
      return works.map(work => answerFrom(snapshot, work))
    },
  })

  const readUntimed = async <T>(work: (snapshot: Snapshot) => Script<T>): Promise<T> => {
    const read = await fromMemory(work, deadline())
    if ('fault' in read) throw read.fault
    return 'asks' in read ? readWhole(work) : (read.value as T)
  }

  function* timed<T>(snapshot: Snapshot, work: (snapshot: Snapshot) => Script<T>): Script<T | typeof LATE> {
    return lease.covers(snapshot.now, snapshot.service.clockLease) ? yield* work(snapshot) : LATE
  }

  return {
    readUntimed,
    read: <T>(work: (snapshot: Snapshot) => Script<T>): Promise<T> =>
      lease.answer(() => readUntimed(snapshot => timed(snapshot, work))),
  }
}
