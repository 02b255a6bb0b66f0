// What the statement programs that read share: one snapshot of the store, at the time of the store's clock.
import type { CutOff } from '../domain/ledger/ledger.ts'
import type { Milliseconds } from '../../../api/values/time.ts'
import type { Sets } from './ledger/interned-sets.ts'
import type { Program } from './statement-program.ts'

/** What statement programs have in hand whether they read or write. */
export type Seen = {
  readonly now: Milliseconds
  readonly sets: Sets
  /** Returns the times between which a token with this id may have ended: a store that is partitioned by them reads only there. */
  readonly endedBetween: (tokenId: string) => readonly [from: Milliseconds, until: Milliseconds]
}

export type Snapshot = Seen & {
  readonly service: ServiceRow
  /** Open cut-offs as of this snapshot, by number. */
  readonly cutOffs: () => Program<readonly CutOff[]>
}

export type Reader = {
  /** Reads in one snapshot, at a time that the clock's lease covers. The statement program may be run again from its start. */
  readonly read: <T>(program: (snapshot: Snapshot) => Program<T>) => Promise<T>
  /** Reads what contains no time: it waits for no lease. */
  readonly readUntimed: <T>(program: (snapshot: Snapshot) => Program<T>) => Promise<T>
}

export type ServiceRow = {
  readonly seq: number
  readonly endedSeq: number
  readonly lastEndSeq: number
  readonly clockLease: Milliseconds
  readonly lastAt: Milliseconds
}

export const SERVICE_COLUMNS = `seq, ended_seq as "endedSeq", last_end_seq as "lastEndSeq", clock_lease as "clockLease",
  last_at as "lastAt"`

export const SERVICE_ROW = `select ${SERVICE_COLUMNS} from service`
