// Agents in the store: reading them, and the acts that change them.
import type { Act } from '../../domain/act.ts'
import { type Agent, type Client, type Credential, LIFETIMES_MAX } from '../../domain/agent.ts'
import { NO_CONDITION } from '../../domain/ledger.ts'
import type { NewAgent } from '../../ports.ts'
import { endAll } from './end-tokens.ts'
import { parseStrings } from './rows.ts'
import type { Statements } from './statements.ts'
import type { Transaction } from './transaction.ts'

type Row = {
  n: number
  id: string
  clientId: string
  name: string
  createdAt: number
  disabledAt: number | null
  scopes: string
  defaultScope: string | null
  resources: string
  defaultAudience: string | null
  life: number | null
}

const COLUMNS = `n, id, client_id as clientId, name, created_at as createdAt, disabled_at as disabledAt, scopes,
  default_scope as defaultScope, resources, default_audience as defaultAudience, life`

const agentOf = (row: Row): Agent => ({
  id: row.id,
  clientId: row.clientId,
  name: row.name,
  disabledAt: row.disabledAt,
  scopes: parseStrings(row.scopes),
  defaultScope: row.defaultScope === null ? null : parseStrings(row.defaultScope),
  resources: parseStrings(row.resources),
  defaultAudience: row.defaultAudience,
  lifetimeSeconds: row.life,
  createdAt: row.createdAt,
})

const readRow = (sql: Statements, agentId: string): Row | undefined =>
  sql<Row>(`select ${COLUMNS} from agent where id = ?`).get(agentId)

export const showAgent = (sql: Statements, agentId: string): Agent | undefined => {
  const row = readRow(sql, agentId)
  return row === undefined ? undefined : agentOf(row)
}

export const listAgents = (sql: Statements, after: string | null, limit: number): readonly Agent[] =>
  sql<Row>(`select ${COLUMNS} from agent where name > ? order by name limit ?`)
    .all(after ?? '', limit)
    .map(agentOf)

export const readClient = (sql: Statements, clientId: string): Client | undefined => {
  const row = sql<Row>(`select ${COLUMNS} from agent where client_id = ?`).get(clientId)
  if (row === undefined) return undefined
  const select =
    'select n as number, id, lower(hex(secret_hash)) as secretHash from credential where agent = ? order by n'
  const credentials = sql<Credential>(select).all(row.n)
  return { number: row.n, agent: agentOf(row), credentials }
}

export const lifetimesInUse = (sql: Statements): readonly number[] =>
  sql<{ life: number }>('select life from lifetime union select life from agent where life is not null order by life')
    .all()
    .map(({ life }) => life)

const lifetimesFull = ({ sql }: Transaction, life: number | null): boolean => {
  const inUse = lifetimesInUse(sql)
  return life !== null && inUse.length >= LIFETIMES_MAX && !inUse.includes(life)
}

const jsonOrNull = (list: readonly string[] | null): string | null => (list === null ? null : JSON.stringify(list))

const INSERT = `insert into agent (id, client_id, name, created_at, scopes, default_scope, resources, default_audience, life)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`

const insertAgent = ({ sql, now }: Transaction, agent: NewAgent): void => {
  const { id, clientId, name, scopes, defaultScope, resources, defaultAudience, lifetimeSeconds, credential } = agent
  const identity = [id, clientId, name, now]
  const allowed = [JSON.stringify(scopes), jsonOrNull(defaultScope), JSON.stringify(resources), defaultAudience]
  const { lastInsertRowid } = sql(INSERT).run(...identity, ...allowed, lifetimeSeconds)
  const insert = 'insert into credential (agent, id, secret_hash, created_at) values (?, ?, unhex(?), ?)'
  sql(insert).run(lastInsertRowid, credential.id, credential.secretHash, now)
}

export type CreateAgent = { readonly agent: NewAgent; readonly act: Act }

export const createAgent = (tx: Transaction, { agent, act }: CreateAgent): Agent | 'name_taken' | 'lifetimes_full' => {
  if (tx.sql('select 1 from agent where name = ?').get(agent.name) !== undefined) return 'name_taken'
  if (lifetimesFull(tx, agent.lifetimeSeconds)) return 'lifetimes_full'
  insertAgent(tx, agent)
  const { credential, ...shown } = agent
  tx.audit(act, agent.id, { agent: shown, credential: credential.id })
  return { ...shown, disabledAt: null, createdAt: tx.now }
}

export type ChangeAgent = { readonly agentId: string; readonly act: Act }

/** Refuses new tokens and ends the live ones in one transaction. Disabling twice changes nothing. */
export const disableAgent = (tx: Transaction, { agentId, act }: ChangeAgent): Agent | undefined => {
  const row = readRow(tx.sql, agentId)
  if (row === undefined || row.disabledAt !== null) return row === undefined ? undefined : agentOf(row)
  tx.sql('update agent set disabled_at = ? where n = ?').run(tx.now, row.n)
  const seq = endAll(tx, { conditions: { ...NO_CONDITION, agent: row.n }, reason: 'agent_disabled', act })
  tx.audit(act, agentId, { seq })
  return agentOf({ ...row, disabledAt: tx.now })
}

/** Lets the agent ask again; nothing that was ended comes back, because no number falls. */
export const enableAgent = (tx: Transaction, { agentId, act }: ChangeAgent): Agent | undefined => {
  const row = readRow(tx.sql, agentId)
  if (row === undefined || row.disabledAt === null) return row === undefined ? undefined : agentOf(row)
  tx.sql('update agent set disabled_at = null where n = ?').run(row.n)
  tx.audit(act, agentId, {})
  return agentOf({ ...row, disabledAt: null })
}
