// What was decided for a record, and why nothing can be.
import { hash } from 'node:crypto'
import type { Act } from '../../../domain/audit/act.ts'
import type { ManagedTerms, PlannedRecord } from '../../../domain/clients/managed-record.ts'
import type { Ending } from '../../../domain/ledger/ends.ts'
import type { Refusal } from '../../../domain/refusal.ts'
import type { RecordObstacle } from '../../../ports/managed-records.ts'
import { given, type Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'

export type Decision = PlannedRecord & {
  readonly endings: readonly Ending[]
  /** Does it, in the transaction that decided it, and returns the id of the record. */
  readonly run: (tx: Transaction, act: Act) => Program<string>
}

export type Decided = Decision | RecordObstacle

export const isObstacle = (decided: Decided): decided is RecordObstacle => 'why' in decided

export const obstacle = (
  why: Exclude<RecordObstacle['why'], 'refused' | 'not_managed' | 'workload_taken' | 'issuers_alike'>,
) => ({ why }) as const

export const refusedBy = ({ refusal }: { readonly refusal: Refusal }): RecordObstacle => ({ why: 'refused', refusal })

/** Who manages a record, where that forbids the set to touch it. */
export const obstacleOfOthers = (managedBy: string | null, terms: ManagedTerms): RecordObstacle | undefined =>
  managedBy === terms.managedBy || terms.adopt ? undefined : { why: 'not_managed', managedBy }

const NOTHING = { before: {}, after: {}, endings: [], remark: null } as const

/** Where nothing is done. */
export const unchanged = (
  record: Pick<PlannedRecord, 'kind' | 'id' | 'name' | 'agent'> & Partial<Pick<PlannedRecord, 'remark'>>,
): Decision => ({
  ...NOTHING,
  ...record,
  action: 'none',
  run: () => given(record.id ?? ''),
})

export const plannedOf = ({ run: _run, endings: _endings, ...planned }: Decision): PlannedRecord => planned

/** One text for all that was decided but the ids of what is made. */
export const digestOf = ({ kind, action, id, name, agent, before, after, endings }: Decision): string => {
  const reasons = endings.map(({ reason }) => reason)
  return hash('sha256', JSON.stringify([kind, action, id, name, agent, before, after, reasons]), 'base64url')
}
