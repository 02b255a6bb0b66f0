// What was decided for a record, and why nothing can be.
import { hash } from 'node:crypto'
import type { Act } from '../../../domain/audit/act.ts'
import type { ManagedTerms, PlannedRecord } from '../../../domain/clients/managed-record.ts'
import type { ManagedRemark } from '../../../../../api/values/managed.ts'
import type { Ending } from '../../../domain/ledger/ends.ts'
import type { Refusal } from '../../../domain/refusal.ts'
import type { RecordObstacle } from '../../../ports/managed-records.ts'
import { given, type Program } from '../../statement-program.ts'
import { audit, type Transaction } from '../../transaction.ts'

export type Decision = PlannedRecord & {
  readonly endings: readonly Ending[]
  /** The id of the agent of a credential, null before that is made. */
  readonly agentId?: string | null
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

/** What was done in an incident: a file leaves it so. */
export const remarkOf = (row: {
  readonly disabledAt?: unknown
  readonly suspendedAt: unknown
}): ManagedRemark | null => {
  if ((row.disabledAt ?? null) !== null) return 'disabled'
  return row.suspendedAt === null ? null : 'suspended'
}

/** Says in the audit who manages a record from now on; `detail` is what else is said of the record. */
export const auditAdoption = (
  tx: Transaction,
  act: Act,
  { id, managedBy, detail }: { readonly id: string; readonly managedBy: string | null; readonly detail?: object },
  terms: ManagedTerms,
): Program<void> =>
  audit(tx, act, id, { ...detail, before: { managed_by: managedBy }, after: { managed_by: terms.managedBy } })

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

export const plannedOf = ({ run: _run, endings: _endings, agentId: _agent, ...planned }: Decision): PlannedRecord =>
  planned

/** One text for all that was decided but the ids of what is made. */
export const digestOf = ({
  kind,
  action,
  id,
  name,
  agent,
  agentId = null,
  before,
  after,
  endings,
}: Decision): string => {
  const reasons = endings.map(({ reason }) => reason)
  return hash('sha256', JSON.stringify([kind, action, id, name, agent, agentId, before, after, reasons]), 'base64url')
}

/** Whether it is what was planned; the plan may be of before the agent of a credential was made. */
export const isAsPlanned = (decision: Decision, digest: string | null): boolean =>
  digestOf(decision) === digest || digestOf({ ...decision, agentId: null }) === digest
