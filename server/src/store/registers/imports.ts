// Imports in the store: agents with the client ids and secrets of another server, and the conversion of its hashes.
import type { Act } from '../../domain/act.ts'
import type { Agent } from '../../domain/agent.ts'
import { settingsRecord } from '../../domain/agent-record.ts'
import { hasExpired } from '../../domain/expiry.ts'
import type { Sha256 } from '../../domain/hash.ts'
import { formatTimeOrNull } from '../../domain/time.ts'
import type { ImportedAgent, ImportObstacle } from '../../ports/imports.ts'
import { isNameTaken, lifetimesFull, SETTING_COLUMNS, SETTING_PLACES, settingValues } from './agents.ts'
import { liveCaller } from './api-keys.ts'
import type { Transaction } from '../sqlite/transaction.ts'

const AGENT = `insert into agent (id, client_id, created_at, disabled_at, ${SETTING_COLUMNS})
  values (?, ?, ?, ?, ${SETTING_PLACES})`
const CREDENTIAL = `insert into credential
  (agent, id, name, secret_hash, imported, foreign_hash, created_at, expires_at)
  values (?, ?, 'imported', unhex(?), ?, ?, ?, ?)`

const insertAgent = ({ sql, now }: Transaction, agent: Agent, { credential }: ImportedAgent): void => {
  const { lastInsertRowid } = sql(AGENT).run(agent.id, agent.clientId, now, agent.disabledAt, ...settingValues(agent))
  const { id, secretHash, isImported, foreignHash, expiresAt } = credential
  sql(CREDENTIAL).run(lastInsertRowid, id, secretHash, isImported ? 1 : 0, foreignHash, now, expiresAt)
}

const obstacleOf = (tx: Transaction, imported: ImportedAgent): ImportObstacle | undefined => {
  const { clientId, lifetimeSeconds, credential } = imported
  const select = 'select deleted_at as deletedAt from agent where client_id = ?'
  const before = tx.sql<{ deletedAt: number | null }>(select).get(clientId)
  if (before !== undefined) return before.deletedAt === null ? 'exists' : 'client_id_retired'
  if (hasExpired(credential.expiresAt, tx.now)) return 'secret_expired'
  return lifetimesFull(tx, lifetimeSeconds) ? 'lifetimes_full' : undefined
}

const importOne = (tx: Transaction, imported: ImportedAgent, act: Act): Agent | ImportObstacle => {
  const obstacle = obstacleOf(tx, imported)
  if (obstacle !== undefined) return obstacle
  const { names, isDisabled, credential, ...settings } = imported
  const name = names.find(one => !isNameTaken(tx, one))
  if (name === undefined) return 'name_taken'
  const agent: Agent = { ...settings, name, createdAt: tx.now, disabledAt: isDisabled ? tx.now : null }
  insertAgent(tx, agent, imported)
  const after = {
    client_id: agent.clientId,
    ...settingsRecord(agent),
    disabled_at: formatTimeOrNull(agent.disabledAt),
  }
  const isHash = credential.foreignHash !== null
  const secret = isHash ? 'converted_at_first_use' : credential.isImported ? 'kept' : 'new'
  tx.audit(act, agent.id, { after, credential_id: credential.id, secret })
  return agent
}

export type ImportAgents = {
  readonly agents: readonly ImportedAgent[]
  readonly act: Act
  readonly isTrial: boolean
}

export const importAgents = (
  tx: Transaction,
  { agents, act, isTrial }: ImportAgents,
): readonly (Agent | ImportObstacle)[] | 'caller_ended' => {
  if (liveCaller(tx, act) === 'caller_ended') return 'caller_ended'
  if (!isTrial) return agents.map(agent => importOne(tx, agent, act))
  tx.sql('savepoint trial').run()
  const outcomes = agents.map(agent => importOne(tx, agent, act))
  tx.sql('rollback to trial').run()
  tx.sql('release trial').run()
  return outcomes
}

export type ConvertSecret = { readonly credentialId: string; readonly secretHash: Sha256; readonly act: Act }

/** It takes no number: who remembers the other server's hash asks anew, and nothing is refused or ended by it. */
export const convertSecret = (
  tx: Transaction,
  { credentialId, secretHash, act }: ConvertSecret,
): 'converted' | 'nothing_to_do' => {
  const convert = `update credential set secret_hash = unhex(?), foreign_hash = null
    where id = ? and foreign_hash is not null and revoked_at is null`
  if (tx.sql(convert).run(secretHash, credentialId).changes === 0) return 'nothing_to_do'
  const select = 'select a.id from agent a join credential c on c.agent = a.n where c.id = ?'
  const agent = tx.sql<{ id: string }>(select).get(credentialId)
  tx.audit(act, credentialId, { agent_id: agent?.id ?? null })
  return 'converted'
}
