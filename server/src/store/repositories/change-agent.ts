// The acts that take something from an agent, or give it something: a change of its settings, and its deletion.
import type { Act } from '../../domain/audit/act.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import { settingsRecord } from '../../domain/clients/agent-record.ts'
import {
  type AgentSettings,
  applyChange,
  audiencesKept,
  type ChangeObstacle,
  changedSettings,
  endsEarlier,
  losesActors,
  lostPrincipals,
  scopesKept,
  type WantedChange,
} from '../../domain/clients/change-agent.ts'
import { refuseEntry } from '../../domain/clients/issuer-entries.ts'
import { type Ending, wouldEnd } from '../../domain/ledger/ends.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { dropIssueCounts } from '../ledger/issue-counts.ts'
import { readLiveRows } from '../ledger/live-rows.ts'
import { numberOfIssuer, numberOfPrincipal } from '../ledger/principals.ts'
import { expiryOf, issuedAtIn } from '../ledger/token-rows.ts'
import type { Seen } from '../snapshot.ts'
import { run, type Program } from '../statement-program.ts'
import { audit, differenceOf, nextSeq, type Transaction } from '../transaction.ts'
import { agentOf, type AgentRow, SETTING_UPDATES, settingValues } from './agent-columns.ts'
import { type ActOnAgent, isNameTaken, lifetimesFull, readAgentRow, requireEnd } from './agents.ts'
import { dropIssuerClientsOf, obstacleToEntries, replaceIssuerClients } from './issuer-clients.ts'
import { dropWorkloadsOf } from './workloads.ts'

const CEILING: readonly (keyof AgentSettings)[] = ['liveTokensMax', 'atLiveTokensMax']

type Change = {
  readonly row: AgentRow
  readonly before: Agent
  readonly after: AgentSettings
  readonly changed: readonly (keyof AgentSettings)[]
}

function* numbersOf<Named>(
  names: readonly Named[],
  numberOf: (name: Named) => Program<number | undefined>,
): Program<readonly number[]> {
  const numbers: number[] = []
  for (const name of names) {
    const n = yield* numberOf(name)
    if (n !== undefined) numbers.push(n)
  }
  return numbers
}

/** The tokens for subjects of issuers that the agent may no longer act for. There is nothing to end for one of whom none is kept. */
function* endingsOfPrincipals({ row, before, after }: Change): Program<readonly Ending[]> {
  const { aliases, subjects } = lostPrincipals(before, after)
  const issuers = yield* numbersOf(aliases, numberOfIssuer)
  const principals = yield* numbersOf(subjects, numberOfPrincipal)
  const lost = [...(issuers.length === 0 ? [] : [{ issuers }]), ...(principals.length === 0 ? [] : [{ principals }])]
  return lost.map(some => ({ conditions: { ...NO_CONDITION, agent: row.n, ...some }, reason: 'actor_removed' }))
}

/** The tokens that carry what was lost. */
function* endingsOfLoss(change: Change, keepAudiences: readonly string[] | null): Program<readonly Ending[]> {
  const { row, before, after } = change
  const keepScopes = scopesKept(before, after)
  const conditions = { ...NO_CONDITION, agent: row.n }
  const scopes: Ending = { conditions: { ...conditions, keepScopes }, reason: 'scope_removed' }
  const audiences: Ending = { conditions: { ...conditions, keepAudiences }, reason: 'audience_removed' }
  const delegated: Ending = { conditions: { ...conditions, fromAnother: true }, reason: 'actor_removed' }
  return [
    ...(keepScopes === null ? [] : [scopes]),
    ...(keepAudiences === null ? [] : [audiences]),
    ...(losesActors(before, after) ? [delegated] : []),
    ...(yield* endingsOfPrincipals(change)),
  ]
}

/** All of its tokens, where one would outlive the agent: no condition of a cut-off says which ones do. */
function* endingsOfExpiry(seen: Seen, { row: { n: agent }, before, after }: Change): Program<readonly Ending[]> {
  const { expiresAt } = after
  if (expiresAt === null || !endsEarlier(before, after)) return []
  // Of each lifetime the newest expires last.
  const { rows, isComplete } = yield* readLiveRows(seen, { agent, of: 'newest', rowsMax: 1 })
  if (isComplete && !rows.some(row => 1000 * expiryOf(row) > expiresAt)) return []
  return [{ conditions: { ...NO_CONDITION, agent }, reason: 'agent_expired' }]
}

/** Where the agent's oldest tokens are to end at its ceiling, those beyond it, once what was lost has ended. */
function* endingsOfExcess(
  seen: Seen,
  { row: { n: agent }, after, changed }: Change,
  lost: readonly Ending[],
): Program<readonly Ending[]> {
  const { liveTokensMax: max, atLiveTokensMax } = after
  if (max === null || atLiveTokensMax !== 'supersede' || !changed.some(name => CEILING.includes(name))) return []
  const coming = wouldEnd(lost, { after: Number.MAX_SAFE_INTEGER - lost.length, at: seen.now })
  const { rows: newest } = yield* readLiveRows(seen, { agent, of: 'newest', rowsMax: max + 1, coming })
  const oldestKept = newest[max - 1]
  if (newest.length <= max || oldestKept === undefined) return []
  // A token of the same instant may be left over: the next that is issued ends it.
  return [{ conditions: { ...NO_CONDITION, agent, before: issuedAtIn(oldestKept.id) }, reason: 'superseded' }]
}

const UPDATE = `update agent set ${SETTING_UPDATES} where n = ?`

/**
 * The numbers that the change takes, for the audit: at least one. An agent is remembered until the next number, and each of its
 * settings decides what is granted: also where it is widened, for an exchange grants what two agents may both have.
 */
function* takeNumbers(tx: Transaction, endings: readonly Ending[], act: Act): Program<object> {
  const ended: Record<string, number> = {}
  for (const ending of endings) ended[ending.reason] = yield* endAll(tx, { ...ending, act })
  return endings.length > 0 ? { ended } : { seq: yield* nextSeq(tx) }
}

type Decided = Change & { readonly endings: readonly Ending[] }

/** Decides on the agent as it is in this snapshot or transaction. */
export function* decideChange(
  seen: Seen,
  { agentId, change, serviceAudience, comingIssuers }: WantedChange,
): Program<OrRefusal<Decided> | ChangeObstacle> {
  const row = yield* readAgentRow(agentId)
  if (row === undefined) return 'unknown'
  const before = agentOf(row)
  const after = applyChange(before, change)
  if ('refusal' in after) return after
  const changed = changedSettings(before, after)
  const decided = { row, before, after, changed }
  if (changed.length === 0) return { ...decided, endings: [] }
  if (changed.includes('name') && (yield* isNameTaken(after.name))) return 'name_taken'
  if (changed.includes('lifetimeSeconds') && (yield* lifetimesFull(after.lifetimeSeconds, row.n))) {
    return 'lifetimes_full'
  }
  const obstacle = yield* obstacleToEntries(row.id, before, after, comingIssuers)
  if (obstacle !== undefined) return refuseEntry(obstacle)
  const audiences = audiencesKept(before, after, serviceAudience)
  if ('refusal' in audiences) return audiences
  const lost = yield* endingsOfLoss(decided, audiences.keepAudiences)
  const excess = yield* endingsOfExcess(seen, decided, lost)
  return { ...decided, endings: [...lost, ...excess, ...(yield* endingsOfExpiry(seen, decided))] }
}

type ChangeAgent = WantedChange & { readonly act: Act }

/** A change that another overtook loses nothing of either. */
export function* changeAgent(
  tx: Transaction,
  { act, ...wanted }: ChangeAgent,
): Program<OrRefusal<Agent> | ChangeObstacle> {
  const decided = yield* decideChange(tx, wanted)
  if (typeof decided === 'string' || 'refusal' in decided) return decided
  const { row, before, after, changed, endings } = decided
  if (changed.length === 0) return before
  yield* requireEnd(tx, after)
  yield* run(UPDATE, ...settingValues(after), row.n)
  if (changed.includes('issuerClients')) yield* replaceIssuerClients(row.n, after.issuerClients)
  tx.live.forget(row.n)
  yield* audit(tx, act, row.id, {
    ...differenceOf(settingsRecord(before), settingsRecord(after)),
    ...(yield* takeNumbers(tx, endings, act)),
  })
  return { ...before, ...after }
}

export const endingsOfDeletion = ({ n }: AgentRow): readonly [Ending] => [
  { conditions: { ...NO_CONDITION, agent: n }, reason: 'agent_deleted' },
]

const DELETE = 'update agent set disabled_at = coalesce(disabled_at, ?), deleted_at = ? where n = ?'

/** The row stays, because the ledger and the history name it; its id is therefore never free. */
export function* deleteAgent(tx: Transaction, { agentId, act }: ActOnAgent): Program<'deleted' | 'unknown'> {
  const row = yield* readAgentRow(agentId)
  if (row === undefined) return 'unknown'
  yield* run(DELETE, tx.now, tx.now, row.n)
  yield* dropIssueCounts(row.n)
  yield* dropWorkloadsOf(row.n)
  yield* dropIssuerClientsOf(row.n)
  const [ending] = endingsOfDeletion(row)
  const seq = yield* endAll(tx, { ...ending, act })
  yield* audit(tx, act, agentId, { before: settingsRecord(agentOf(row)), seq })
  return 'deleted'
}
