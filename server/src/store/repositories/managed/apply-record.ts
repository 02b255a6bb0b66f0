// In this folder: records that files declare: what becomes of each is decided on a snapshot for a plan, and again in the transaction that
// does it.
// Does what was planned for a record that a file declares, in the transaction that decides it again.
import type { Act } from '../../../domain/audit/act.ts'
import type { Ending } from '../../../domain/ledger/ends.ts'
import type { ManagedTerms, PlannedRecord, WantedRecord } from '../../../domain/clients/managed-record.ts'
import type { Coming, RecordObstacle, RecordPlan } from '../../../ports/managed-records.ts'
import type { ManagedKind } from '../../../../../api/values/managed.ts'
import { hasOutgrown } from '../../ledger/check-plan.ts'
import { liveCaller } from '../api-keys.ts'
import type { Seen } from '../../snapshot.ts'
import type { Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { decideAgent, decideAgentRemoval } from './decide-agent.ts'
import { decideCredential, decideCredentialRemoval } from './decide-credential.ts'
import { decideIssuer, decideIssuerRemoval } from './decide-issuer.ts'
import { type Decided, isAsPlanned, isObstacle, plannedOf } from './decision.ts'

const REMOVALS: Readonly<Record<ManagedKind, (id: string, terms: ManagedTerms) => Program<Decided>>> = {
  agent: decideAgentRemoval,
  credential: decideCredentialRemoval,
  issuer: decideIssuerRemoval,
}

/** What becomes of a record. */
export const decide = (seen: Seen, wanted: WantedRecord, terms: ManagedTerms, coming: Coming): Program<Decided> => {
  if (wanted.kind === 'agent') return decideAgent(seen, { wanted, terms, coming })
  if (wanted.kind === 'credential') return decideCredential(seen, wanted, terms, coming)
  return wanted.kind === 'issuer' ? decideIssuer(wanted, terms) : REMOVALS[wanted.of](wanted.id, terms)
}

type ApplyRecord = {
  readonly wanted: WantedRecord
  readonly terms: ManagedTerms
  readonly plan: RecordPlan | null
  readonly act: Act
}

const PLAN_MS_MAX = 600_000

const NOTHING_COMING: Coming = { agents: [], credentials: [], issuers: [] }

/** What is issued since the plan takes the room of older ones at a ceiling: each such token ends one that the plan did not count. */
const endingSince = (ending: Ending): Ending =>
  ending.reason === 'superseded' ? { ...ending, conditions: { ...ending.conditions, before: null } } : ending

/** Decides again, in the transaction that does it: nothing is done that the plan did not say. */
export function* applyRecord(
  tx: Transaction,
  { wanted, terms, plan, act }: ApplyRecord,
): Program<PlannedRecord | RecordObstacle | 'plan_missing' | 'plan_expired' | 'plan_outdated' | 'caller_ended'> {
  if ((yield* liveCaller(tx, act)) === 'caller_ended') return 'caller_ended'
  const decided = yield* decide(tx, wanted, terms, NOTHING_COMING)
  if (isObstacle(decided)) return decided
  if (decided.action === 'none') return plannedOf(decided)
  if (plan === null) return 'plan_missing'
  if (tx.now >= plan.instant + PLAN_MS_MAX) return 'plan_expired'
  if (!isAsPlanned(decided, plan.agentsDigest) || (yield* hasOutgrown(tx, decided.endings.map(endingSince), plan)))
    return 'plan_outdated'
  return { ...plannedOf(decided), id: yield* decided.run(tx, act) }
}
