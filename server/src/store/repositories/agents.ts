// Agents in the store: reading them, and the acts that change them.
import { DELEGATED_LIFETIMES } from '../../domain/ledger/lineage.ts'
import type { Act } from '../../domain/audit/act.ts'
import { settingsRecord } from '../../domain/clients/agent-record.ts'
import { type Agent, type Client, LIFETIMES_MAX, type Switched } from '../../domain/clients/agent.ts'
import { BLANK_SETTINGS } from '../../domain/clients/change-agent.ts'
import { refuseEntry } from '../../domain/clients/issuer-entries.ts'
import type { Ending } from '../../domain/ledger/ends.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { OrRefusal } from '../../domain/refusal.ts'
import { formatTimeOrNull, type Milliseconds } from '../../../../api/values/time.ts'
import type { ImportedAgent } from '../../ports/imports.ts'
import type { NewAgent } from '../../ports/ports.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { bytesOfHex } from '../rows.ts'
import { requireKnowledge } from '../schema-version.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'
import { audit, type Transaction } from '../transaction.ts'
import {
  AGENT_COLUMNS,
  agentOf,
  type AgentRow,
  SETTING_COLUMNS,
  SETTING_PLACES,
  settingValues,
} from './agent-columns.ts'
import { makeMissingCredentials, readUsableCredentials } from './credentials.ts'
import { once } from './idempotency.ts'
import { keepIssuerClients, obstacleToEntries } from './issuer-clients.ts'

const READ = `select ${AGENT_COLUMNS} from agent where id = ? and deleted_at is null`

/** An agent that is not deleted. */
export const readAgentRow = (agentId: string): Program<AgentRow | undefined> => first<AgentRow>(READ, agentId)

export function* showAgent(agentId: string): Program<Agent | undefined> {
  const row = yield* readAgentRow(agentId)
  return row === undefined ? undefined : agentOf(row)
}

// To a token request a suspended agent is a disabled one.
const CLIENT = `select ${AGENT_COLUMNS} from agent where client_id = ? and deleted_at is null`

export function* readClient(clientId: string): Program<Client | undefined> {
  const row = yield* first<AgentRow>(CLIENT, clientId)
  if (row === undefined) return undefined
  const agent = agentOf({ ...row, disabledAt: row.disabledAt ?? row.suspendedAt })
  return { number: row.n, agent, credentials: yield* readUsableCredentials(row.n) }
}

const ANY = `select ${AGENT_COLUMNS} from agent where deleted_at is null limit 1`

/**
 * Returns the program that makes the time of a refusal the same whether the client is unknown or its secret wrong, and
 * however many credentials it has: of an unknown client it reads the credentials of some agent, and forgets them.
 */
export const makeDecoy = (): ((client: Client | undefined) => Program<void>) => {
  const readMissing = makeMissingCredentials()
  let any: AgentRow | undefined
  return function* (client) {
    if (client !== undefined) return yield* readMissing(client.credentials)
    any ??= yield* first<AgentRow>(ANY)
    if (any === undefined) return
    agentOf(any)
    yield* readMissing(yield* readUsableCredentials(any.n))
  }
}

const NOBODY = 0

const LIFETIMES = `select life from lifetime where life not in (${DELEGATED_LIFETIMES.join(', ')})
  union select life from agent where life is not null and deleted_at is null and n <> ? order by life`

/** The lifetimes in the ledger, without those for tokens with a parent, and those of agents other than the one numbered `except`. */
export function* lifetimesInUse(except = NOBODY): Program<readonly number[]> {
  return (yield* all<{ life: number }>(LIFETIMES, except)).map(({ life }) => life)
}

/** Whether there is no room for this lifetime on the agent with the number `except`, or on a new one. */
export function* lifetimesFull(life: number | null, except = NOBODY): Program<boolean> {
  const inUse = yield* lifetimesInUse(except)
  return life !== null && inUse.length >= LIFETIMES_MAX && !inUse.includes(life)
}

export function* isNameTaken(name: string): Program<boolean> {
  return (yield* first('select 1 as found from agent where name = ? and deleted_at is null', name)) !== undefined
}

const AGENT = `insert into agent (id, client_id, created_at, disabled_at, managed_by, ${SETTING_COLUMNS})
  values (?, ?, ?, ?, ?, ${SETTING_PLACES}) returning n`
const CREDENTIAL = `insert into credential
  (agent, id, name, secret_hash, imported, foreign_hash, created_at, expires_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)`

type FirstCredential = ImportedAgent['credential'] & { readonly name: string }

/** A program that would issue beyond it may not use the store any more. */
export function* requireEnd(tx: Transaction, { expiresAt }: Pick<Agent, 'expiresAt'>): Program<void> {
  if (expiresAt !== null) yield* requireKnowledge(tx, 'ends of agents')
}

/** Makes the row of an agent, that of its first credential if it gets one, and those of its client ids at issuers. */
export function* insertAgent(tx: Transaction, agent: Agent, credential: FirstCredential | null): Program<void> {
  yield* requireEnd(tx, agent)
  const { id: agentId, clientId, createdAt, disabledAt, managedBy } = agent
  const { n } = yield* only<{ n: number }>(
    AGENT,
    agentId,
    clientId,
    createdAt,
    disabledAt,
    managedBy,
    ...settingValues(agent),
  )
  yield* keepIssuerClients(n, agent.issuerClients)
  if (credential === null) return
  const { id, name, secretHash, isImported, foreignHash, expiresAt } = credential
  const secret = [bytesOfHex(secretHash), isImported ? 1 : 0, foreignHash]
  yield* run(CREDENTIAL, n, id, name, ...secret, createdAt, expiresAt)
}

const OURS = { name: 'first', isImported: false, foreignHash: null, expiresAt: null } as const

type CreateAgent = { readonly agent: NewAgent; readonly act: Act }

function* makeAgent(
  tx: Transaction,
  { agent, act }: CreateAgent,
): Program<OrRefusal<Agent> | 'name_taken' | 'lifetimes_full'> {
  if (yield* isNameTaken(agent.name)) return 'name_taken'
  if (yield* lifetimesFull(agent.lifetimeSeconds)) return 'lifetimes_full'
  const obstacle = yield* obstacleToEntries(agent.id, BLANK_SETTINGS, agent)
  if (obstacle !== undefined) return refuseEntry(obstacle)
  const { credential, ...given } = agent
  const made = { ...given, managedBy: null, disabledAt: null, suspendedAt: null, createdAt: tx.now }
  yield* insertAgent(tx, made, { ...OURS, ...credential })
  const after = { client_id: agent.clientId, ...settingsRecord(agent) }
  yield* audit(tx, act, agent.id, { after, credential_id: credential.id })
  return made
}

export const createAgent = (tx: Transaction, create: CreateAgent) =>
  once(tx, create.act, create.agent.id, () => makeAgent(tx, create))

export type ActOnAgent = { readonly agentId: string; readonly act: Act }

/** When the agent was disabled, before and after, for the audit. */
const disabling = (before: Milliseconds | null, after: Milliseconds | null): object => ({
  before: { disabled_at: formatTimeOrNull(before) },
  after: { disabled_at: formatTimeOrNull(after) },
})

/** What ends with it: nothing where the agent is disabled already. */
export const endingsOfDisabling = ({ n, disabledAt }: AgentRow): readonly Ending[] =>
  disabledAt === null ? [{ conditions: { ...NO_CONDITION, agent: n }, reason: 'agent_disabled' }] : []

/** Refuses new tokens and ends the live ones in one transaction. Disabling twice changes nothing. */
export function* disableAgent(tx: Transaction, { agentId, act }: ActOnAgent): Program<Switched | undefined> {
  const row = yield* readAgentRow(agentId)
  if (row === undefined) return undefined
  const [ending] = endingsOfDisabling(row)
  if (ending === undefined) return { ...agentOf(row), changed: false }
  yield* run('update agent set disabled_at = ? where n = ?', tx.now, row.n)
  const seq = yield* endAll(tx, { ...ending, act })
  yield* audit(tx, act, agentId, { ...disabling(null, tx.now), seq })
  return { ...agentOf({ ...row, disabledAt: tx.now }), changed: true }
}

/** Lets the agent ask again; nothing that was ended comes back, because no number falls. */
export function* enableAgent(tx: Transaction, { agentId, act }: ActOnAgent): Program<Switched | undefined> {
  const row = yield* readAgentRow(agentId)
  if (row === undefined) return undefined
  if (row.disabledAt === null) return { ...agentOf(row), changed: false }
  yield* run('update agent set disabled_at = null where n = ?', row.n)
  yield* audit(tx, act, agentId, disabling(row.disabledAt, null))
  return { ...agentOf({ ...row, disabledAt: null }), changed: true }
}
