// Reads for scripts: in one snapshot each, at the time of the store, and no answer at a time that no lease covers.
import { Unavailable } from '../../domain/refusal.ts'
import type { CutOff } from '../../domain/ledger.ts'
import type { MonotonicMilliseconds } from '../../domain/time.ts'
import { readOpenCutOffs } from '../ledger/cut-offs.ts'
import type { Sets } from '../ledger/sets.ts'
import type { Script } from '../script.ts'
import type { ServiceRow } from '../service-row.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { makeBatches } from './batches.ts'
import { LEASE_MS } from './clock.ts'
import type { Answered, Asked } from './connection.ts'
import { endedBetween } from './partitions.ts'
import type { Session } from './session.ts'

const ATTEMPTS = 5
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

const LATE = Symbol('the lease of the clock has run out')

export type ReaderOptions = {
  readonly sets: Sets
  readonly renewLease: () => Promise<unknown>
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

export const makeReader = (session: Session, { sets, renewLease, deadline }: ReaderOptions): Reader => {
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
    if (snapshot.now > snapshot.service.clockLease) return LATE
    if (snapshot.now > snapshot.service.clockLease - LEASE_MS / 2) renewLease().catch(() => undefined)
    return yield* work(snapshot)
  }

  return {
    readUntimed,
    read: async <T>(work: (snapshot: Snapshot) => Script<T>): Promise<T> => {
      for (let n = 0; n < ATTEMPTS; n += 1) {
        const answer = await readUntimed(snapshot => timed(snapshot, work))
        if (answer !== LATE) return answer
        await renewLease()
      }
      throw new Unavailable('The lease of the clock could not be renewed in time.')
    },
  }
}
