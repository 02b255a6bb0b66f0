// The acts that take something from an agent, or give it something: a change of its settings, and its deletion.
import type { Act } from '../../domain/audit/act.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import { settingsRecord } from '../../domain/clients/agent-record.ts'
import {
  type AgentSettings,
  applyChange,
  audiencesKept,
  changedSettings,
  losesActors,
  scopesKept,
} from '../../domain/clients/change-agent.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { WantedChange } from '../../ports/ports.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { dropIssueCounts } from '../ledger/issue-counts.ts'
import { readLiveRows } from '../ledger/live-rows.ts'
import { issuedAtIn } from '../ledger/token-rows.ts'
import { run, type Program } from '../statement-program.ts'
import { audit, nextSeq, type Transaction } from '../transaction.ts'
import { agentOf, type AgentRow, SETTING_UPDATES, settingValues } from './agent-columns.ts'
import { type ActOnAgent, isNameTaken, lifetimesFull, readAgentRow } from './agents.ts'
import { dropWorkloadsOf } from './workloads.ts'

const CEILING: readonly (keyof AgentSettings)[] = ['liveTokensMax', 'atLiveTokensMax']

type Change = {
  readonly before: AgentSettings
  readonly after: AgentSettings
  readonly changed: readonly (keyof AgentSettings)[]
  readonly keepAudiences: readonly string[] | null
}

/** Ends the tokens that carry what was lost; the numbers of the acts, by what was lost. */
function* endLost(tx: Transaction, agent: number, change: Change, act: Act): Program<object> {
  const { before, after, keepAudiences } = change
  const keepScopes = scopesKept(before, after)
  const conditions = { ...NO_CONDITION, agent }
  const scopes = { conditions: { ...conditions, keepScopes }, reason: 'scope_removed', act } as const
  const audiences = { conditions: { ...conditions, keepAudiences }, reason: 'audience_removed', act } as const
  const delegated = { conditions: { ...conditions, fromAnother: true as const }, reason: 'actor_removed', act } as const
  return {
    ...(keepScopes !== null && { scope_removed: yield* endAll(tx, scopes) }),
    ...(keepAudiences !== null && { audience_removed: yield* endAll(tx, audiences) }),
    ...(losesActors(before, after) && { actor_removed: yield* endAll(tx, delegated) }),
  }
}

/** Where the agent's oldest tokens are to end at its ceiling, those beyond it do so now; the number of that act. */
function* endExcess(tx: Transaction, agent: number, { after, changed }: Change, act: Act): Program<object> {
  const { liveTokensMax: max, atLiveTokensMax } = after
  if (max === null || atLiveTokensMax !== 'supersede' || !changed.some(name => CEILING.includes(name))) return {}
  const { rows: newest } = yield* readLiveRows(tx, { agent, order: 'newest', rowsMax: max + 1 })
  const oldestKept = newest[max - 1]
  if (newest.length <= max || oldestKept === undefined) return {}
  // A token of the same instant may be left over: the next that is issued ends it.
  const conditions = { ...NO_CONDITION, agent, before: issuedAtIn(oldestKept.id) }
  return { superseded: yield* endAll(tx, { conditions, reason: 'superseded', act }) }
}

/** The values before and after, of what changed alone, under the names of the wire. */
const difference = (before: AgentSettings, after: AgentSettings): { before: object; after: object } => {
  const [old, fresh] = [Object.entries(settingsRecord(before)), new Map(Object.entries(settingsRecord(after)))]
  const changed = old.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(fresh.get(name)))
  return {
    before: Object.fromEntries(changed),
    after: Object.fromEntries(changed.map(([name]) => [name, fresh.get(name)])),
  }
}

const UPDATE = `update agent set ${SETTING_UPDATES} where n = ?`

/**
 * The numbers that the change takes, for the audit: at least one. An agent is remembered until the next number, and each of its
 * settings decides what is granted: also where it is widened, for an exchange grants what two agents may both have.
 */
function* takeNumbers(tx: Transaction, agent: number, change: Change, act: Act): Program<object> {
  const lost = yield* endLost(tx, agent, change, act)
  const ended = { ...lost, ...(yield* endExcess(tx, agent, change, act)) }
  return Object.keys(ended).length > 0 ? { ended } : { seq: yield* nextSeq(tx) }
}

function* writeChange(tx: Transaction, row: AgentRow, change: Change, act: Act): Program<void> {
  yield* run(UPDATE, ...settingValues(change.after), row.n)
  tx.live.forget(row.n)
  const numbers = yield* takeNumbers(tx, row.n, change, act)
  yield* audit(tx, act, row.id, { ...difference(change.before, change.after), ...numbers })
}

type ChangeAgent = WantedChange & { readonly act: Act }

/** Decides on the agent as it is in this transaction: a change that another overtook loses nothing of either. */
export function* changeAgent(
  tx: Transaction,
  { agentId, change, serviceAudience, act }: ChangeAgent,
): Program<OrRefusal<Agent> | 'unknown' | 'name_taken' | 'lifetimes_full'> {
  const row = yield* readAgentRow(agentId)
  if (row === undefined) return 'unknown'
  const before = agentOf(row)
  const after = applyChange(before, change)
  if ('refusal' in after) return after
  const changed = changedSettings(before, after)
  if (changed.length === 0) return before
  if (changed.includes('name') && (yield* isNameTaken(after.name))) return 'name_taken'
  if (changed.includes('lifetimeSeconds') && (yield* lifetimesFull(after.lifetimeSeconds, row.n))) {
    return 'lifetimes_full'
  }
  const audiences = audiencesKept(before, after, serviceAudience)
  if ('refusal' in audiences) return audiences
  yield* writeChange(tx, row, { before, after, changed, ...audiences }, act)
  return { ...before, ...after }
}

const DELETE = 'update agent set disabled_at = coalesce(disabled_at, ?), deleted_at = ? where n = ?'

/** The row stays, because the ledger and the history name it; its id is therefore never free. */
export function* deleteAgent(tx: Transaction, { agentId, act }: ActOnAgent): Program<'deleted' | 'unknown'> {
  const row = yield* readAgentRow(agentId)
  if (row === undefined) return 'unknown'
  yield* run(DELETE, tx.now, tx.now, row.n)
  yield* dropIssueCounts(row.n)
  yield* dropWorkloadsOf(row.n)
  const seq = yield* endAll(tx, { conditions: { ...NO_CONDITION, agent: row.n }, reason: 'agent_deleted', act })
  yield* audit(tx, act, agentId, { before: settingsRecord(agentOf(row)), seq })
  return 'deleted'
}
