// The one row of numbers that never fall.
import type { Milliseconds } from '../domain/time.ts'
import type { Statements } from './sqlite/statements.ts'

export type ServiceRow = {
  readonly seq: number
  readonly endedSeq: number
  readonly lastEndSeq: number
  readonly clockLease: Milliseconds
  readonly lastAt: Milliseconds
}

export const readServiceRow = (sql: Statements): ServiceRow => {
  const row = sql<ServiceRow>(
    `select seq, ended_seq as endedSeq, last_end_seq as lastEndSeq, clock_lease as clockLease, last_at as lastAt
     from service`,
  ).get()
  if (row === undefined) throw new Error('The store has no service row.')
  return row
}
