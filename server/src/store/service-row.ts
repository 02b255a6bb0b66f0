// The one row of numbers that never fall.
import type { Milliseconds } from '../../../api/values/time.ts'

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
