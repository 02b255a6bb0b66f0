// Agents in the store: reading them, and the acts that change them.
import type { Act } from '../../domain/act.ts'
import { type Agent, type Client, LIFETIMES_MAX } from '../../domain/agent.ts'
import { settingsRecord } from '../../domain/agent-record.ts'
import type { AgentSettings } from '../../domain/change-agent.ts'
import type { AgentLimits } from '../../domain/limits.ts'
import { NO_CONDITION } from '../../domain/ledger.ts'
import { formatTimeOrNull, type Milliseconds } from '../../domain/time.ts'
import type { NewAgent } from '../../ports.ts'
import { readUsableCredentials } from './credentials.ts'
import { endAll } from './end-tokens.ts'
import { once } from './idempotency.ts'
import { parseLabels, parseStrings } from './rows.ts'
import type { Statements } from './statements.ts'
import type { Transaction } from './transaction.ts'

/** What {@link settingValues} gives, in that order. */
export const SETTING_COLUMNS =
  'name, description, owner, labels, scopes, default_scope, resources, default_audience, life, ' +
  'tokens_per_minute, tokens_per_day, live_tokens_max, at_live_tokens_max, dpop_bound, certificate_bound'

/** A question mark for each of them. */
export const SETTING_PLACES = SETTING_COLUMNS.replace(/\w+/g, '?')

export type AgentRow = {
  n: number
  id: string
  clientId: string
  name: string
  description: string | null
  owner: string | null
  labels: string
  createdAt: number
  disabledAt: number | null
  scopes: string
  defaultScope: string | null
  resources: string
  defaultAudience: string | null
  life: number | null
  dpopBound: number
  certificateBound: number
} & AgentLimits

export const AGENT_COLUMNS = `n, id, client_id as clientId, name, description, owner, labels, created_at as createdAt,
  disabled_at as disabledAt, scopes, default_scope as defaultScope, resources, default_audience as defaultAudience, life,
  tokens_per_minute as tokensPerMinute, tokens_per_day as tokensPerDay, live_tokens_max as liveTokensMax,
  at_live_tokens_max as atLiveTokensMax, dpop_bound as dpopBound,
  certificate_bound as certificateBound`

export const agentOf = (row: AgentRow): Agent => ({
  id: row.id,
  clientId: row.clientId,
  name: row.name,
  description: row.description,
  owner: row.owner,
  labels: parseLabels(row.labels),
  disabledAt: row.disabledAt,
  scopes: parseStrings(row.scopes),
  defaultScope: row.defaultScope === null ? null : parseStrings(row.defaultScope),
  resources: parseStrings(row.resources),
  defaultAudience: row.defaultAudience,
  lifetimeSeconds: row.life,
  tokensPerMinute: row.tokensPerMinute,
  tokensPerDay: row.tokensPerDay,
  liveTokensMax: row.liveTokensMax,
  atLiveTokensMax: row.atLiveTokensMax,
  dpopBound: row.dpopBound === 1,
  certificateBound: row.certificateBound === 1,
  createdAt: row.createdAt,
})

/** An agent that is not deleted. */
export const readAgentRow = (sql: Statements, agentId: string): AgentRow | undefined =>
  sql<AgentRow>(`select ${AGENT_COLUMNS} from agent where id = ? and deleted_at is null`).get(agentId)

export const showAgent = (sql: Statements, agentId: string): Agent | undefined => {
  const row = readAgentRow(sql, agentId)
  return row === undefined ? undefined : agentOf(row)
}

export const readClient = (sql: Statements, clientId: string): Client | undefined => {
  const select = `select ${AGENT_COLUMNS} from agent where client_id = ? and deleted_at is null`
  const row = sql<AgentRow>(select).get(clientId)
  if (row === undefined) return undefined
  return { number: row.n, agent: agentOf(row), credentials: readUsableCredentials(sql, row.n) }
}

const NOBODY = 0

/** In the ledger, or set on an agent other than the one with the number `except`. */
export const lifetimesInUse = (sql: Statements, except = NOBODY): readonly number[] =>
  sql<{ life: number }>(
    `select life from lifetime
     union select life from agent where life is not null and deleted_at is null and n <> ? order by life`,
  )
    .all(except)
    .map(({ life }) => life)

/** Whether there is no room for this lifetime on the agent with the number `except`, or on a new one. */
export const lifetimesFull = ({ sql }: Transaction, life: number | null, except = NOBODY): boolean => {
  const inUse = lifetimesInUse(sql, except)
  return life !== null && inUse.length >= LIFETIMES_MAX && !inUse.includes(life)
}

export const isNameTaken = ({ sql }: Transaction, name: string): boolean =>
  sql('select 1 from agent where name = ? and deleted_at is null').get(name) !== undefined

const jsonOrNull = (list: readonly string[] | null): string | null => (list === null ? null : JSON.stringify(list))

/** Settings in the order of {@link SETTING_COLUMNS}. */
export const settingValues = (settings: AgentSettings): readonly (string | number | null)[] => [
  settings.name,
  settings.description,
  settings.owner,
  JSON.stringify(settings.labels),
  JSON.stringify(settings.scopes),
  jsonOrNull(settings.defaultScope),
  JSON.stringify(settings.resources),
  settings.defaultAudience,
  settings.lifetimeSeconds,
  settings.tokensPerMinute,
  settings.tokensPerDay,
  settings.liveTokensMax,
  settings.atLiveTokensMax,
  settings.dpopBound ? 1 : 0,
  settings.certificateBound ? 1 : 0,
]

const INSERT = `insert into agent (id, client_id, created_at, ${SETTING_COLUMNS})
  values (?, ?, ?, ${SETTING_PLACES})`

const insertAgent = ({ sql, now }: Transaction, agent: NewAgent): void => {
  const { id, clientId, credential } = agent
  const { lastInsertRowid } = sql(INSERT).run(id, clientId, now, ...settingValues(agent))
  const insert = 'insert into credential (agent, id, secret_hash, created_at) values (?, ?, unhex(?), ?)'
  sql(insert).run(lastInsertRowid, credential.id, credential.secretHash, now)
}

export type CreateAgent = { readonly agent: NewAgent; readonly act: Act }

const makeAgent = (tx: Transaction, { agent, act }: CreateAgent): Agent | 'name_taken' | 'lifetimes_full' => {
  if (isNameTaken(tx, agent.name)) return 'name_taken'
  if (lifetimesFull(tx, agent.lifetimeSeconds)) return 'lifetimes_full'
  insertAgent(tx, agent)
  const { credential, ...shown } = agent
  const after = { client_id: agent.clientId, ...settingsRecord(agent) }
  tx.audit(act, agent.id, { after, credential_id: credential.id })
  return { ...shown, disabledAt: null, createdAt: tx.now }
}

export const createAgent = (tx: Transaction, create: CreateAgent) =>
  once(tx, create.act, create.agent.id, () => makeAgent(tx, create))

export type ActOnAgent = { readonly agentId: string; readonly act: Act }

/** When the agent was disabled, before and after, for the audit. */
const disabling = (before: Milliseconds | null, after: Milliseconds | null): object => ({
  before: { disabled_at: formatTimeOrNull(before) },
  after: { disabled_at: formatTimeOrNull(after) },
})

/** Refuses new tokens and ends the live ones in one transaction. Disabling twice changes nothing. */
export const disableAgent = (tx: Transaction, { agentId, act }: ActOnAgent): Agent | undefined => {
  const row = readAgentRow(tx.sql, agentId)
  if (row === undefined || row.disabledAt !== null) return row === undefined ? undefined : agentOf(row)
  tx.sql('update agent set disabled_at = ? where n = ?').run(tx.now, row.n)
  const seq = endAll(tx, { conditions: { ...NO_CONDITION, agent: row.n }, reason: 'agent_disabled', act })
  tx.audit(act, agentId, { ...disabling(null, tx.now), seq })
  return agentOf({ ...row, disabledAt: tx.now })
}

/** Lets the agent ask again; nothing that was ended comes back, because no number falls. */
export const enableAgent = (tx: Transaction, { agentId, act }: ActOnAgent): Agent | undefined => {
  const row = readAgentRow(tx.sql, agentId)
  if (row === undefined || row.disabledAt === null) return row === undefined ? undefined : agentOf(row)
  tx.sql('update agent set disabled_at = null where n = ?').run(row.n)
  tx.audit(act, agentId, disabling(row.disabledAt, null))
  return agentOf({ ...row, disabledAt: null })
}
