// The acts that take something from an agent, or give it something: a change of its settings, and its deletion.
import type { Act } from '../../domain/act.ts'
import type { Agent } from '../../domain/agent.ts'
import { settingsRecord } from '../../domain/agent-record.ts'
import {
  type AgentSettings,
  applyChange,
  audiencesKept,
  changedSettings,
  scopesKept,
} from '../../domain/change-agent.ts'
import { NO_CONDITION } from '../../domain/ledger.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import type { WantedChange } from '../../ports.ts'
import {
  type ActOnAgent,
  agentOf,
  type AgentRow,
  isNameTaken,
  lifetimesFull,
  readAgentRow,
  SETTING_COLUMNS,
  SETTING_PLACES,
  settingValues,
} from './agents.ts'
import { endAll } from './end-tokens.ts'
import { dropIssueCounts } from './issue-counts.ts'
import { readLiveRows } from './live-rows.ts'
import { issuedAtIn } from './token-rows.ts'
import type { Transaction } from './transaction.ts'
import { dropWorkloadsOf } from './workloads.ts'

const LIMITS = ['tokensPerMinute', 'tokensPerDay', 'liveTokensMax', 'atLiveTokensMax'] as const

const CEILING: readonly (keyof AgentSettings)[] = ['liveTokensMax', 'atLiveTokensMax']

// Settings that a remembered agent would go on granting by. Where scopes or resources are only widened it would refuse,
// and no refusal is given from memory; where they are narrowed the cut-off takes a number.
const GRANTED_BY: readonly (keyof AgentSettings)[] = [
  'defaultScope',
  'defaultAudience',
  'lifetimeSeconds',
  'dpopBound',
  'certificateBound',
  ...LIMITS,
]

type Change = {
  readonly before: AgentSettings
  readonly after: AgentSettings
  readonly changed: readonly (keyof AgentSettings)[]
  readonly keepAudiences: readonly string[] | null
}

/** Ends the tokens that carry what was lost; the numbers of the acts, by what was lost. */
const endLost = (tx: Transaction, agent: number, change: Change, act: Act) => {
  const { before, after, keepAudiences } = change
  const keepScopes = scopesKept(before, after)
  const conditions = { ...NO_CONDITION, agent }
  return {
    ...(keepScopes !== null && {
      scope_removed: endAll(tx, { conditions: { ...conditions, keepScopes }, reason: 'scope_removed', act }),
    }),
    ...(keepAudiences !== null && {
      audience_removed: endAll(tx, { conditions: { ...conditions, keepAudiences }, reason: 'audience_removed', act }),
    }),
  }
}

/** Where the agent's oldest tokens are to end at its ceiling, those beyond it do so now; the number of that act. */
const endExcess = (tx: Transaction, agent: number, { after, changed }: Change, act: Act) => {
  const { liveTokensMax: max, atLiveTokensMax } = after
  if (max === null || atLiveTokensMax !== 'supersede' || !changed.some(name => CEILING.includes(name))) return {}
  const newest = readLiveRows(tx, { agent, order: 'newest', rowsMax: max + 1 }).rows
  const oldestKept = newest[max - 1]
  if (newest.length <= max || oldestKept === undefined) return {}
  // A token of the same instant may be left over: the next that is issued ends it.
  const conditions = { ...NO_CONDITION, agent, before: issuedAtIn(oldestKept.id) }
  return { superseded: endAll(tx, { conditions, reason: 'superseded', act }) }
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

const UPDATE = `update agent set (${SETTING_COLUMNS}) = (${SETTING_PLACES}) where n = ?`

/** The numbers that the change takes, for the audit; none where nobody would go by the old settings. */
const takeNumbers = (tx: Transaction, agent: number, change: Change, act: Act): object => {
  const lost = endLost(tx, agent, change, act)
  const ended = { ...lost, ...endExcess(tx, agent, change, act) }
  if (Object.keys(ended).length > 0) return { ended }
  return change.changed.some(name => GRANTED_BY.includes(name)) ? { seq: tx.nextSeq() } : {}
}

const writeChange = (tx: Transaction, row: AgentRow, change: Change, act: Act): void => {
  tx.sql(UPDATE).run(...settingValues(change.after), row.n)
  tx.live.forget(row.n)
  const numbers = takeNumbers(tx, row.n, change, act)
  tx.audit(act, row.id, { ...difference(change.before, change.after), ...numbers })
}

export type ChangeAgent = WantedChange & { readonly act: Act }

/** Decides on the agent as it is in this transaction: a change that another overtook loses nothing of either. */
export const changeAgent = (
  tx: Transaction,
  { agentId, change, serviceAudience, act }: ChangeAgent,
): OrRefusal<Agent> | 'unknown' | 'name_taken' | 'lifetimes_full' => {
  const row = readAgentRow(tx.sql, agentId)
  if (row === undefined) return 'unknown'
  const before = agentOf(row)
  const after = applyChange(before, change)
  if ('refusal' in after) return after
  const changed = changedSettings(before, after)
  if (changed.length === 0) return before
  if (changed.includes('name') && isNameTaken(tx, after.name)) return 'name_taken'
  if (changed.includes('lifetimeSeconds') && lifetimesFull(tx, after.lifetimeSeconds, row.n)) return 'lifetimes_full'
  const audiences = audiencesKept(before, after, serviceAudience)
  if ('refusal' in audiences) return audiences
  writeChange(tx, row, { before, after, changed, ...audiences }, act)
  return { ...before, ...after }
}

/** The row stays, because the ledger and the history name it; its id is therefore never free. */
export const deleteAgent = (tx: Transaction, { agentId, act }: ActOnAgent): 'deleted' | 'unknown' => {
  const row = readAgentRow(tx.sql, agentId)
  if (row === undefined) return 'unknown'
  tx.sql('update agent set disabled_at = coalesce(disabled_at, ?), deleted_at = ? where n = ?').run(
    tx.now,
    tx.now,
    row.n,
  )
  dropIssueCounts(tx.sql, row.n)
  dropWorkloadsOf(tx.sql, row.n)
  const seq = endAll(tx, { conditions: { ...NO_CONDITION, agent: row.n }, reason: 'agent_deleted', act })
  tx.audit(act, agentId, { before: settingsRecord(agentOf(row)), seq })
  return 'deleted'
}
