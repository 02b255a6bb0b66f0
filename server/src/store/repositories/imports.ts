// Imports in the store: agents with the client ids and secrets of another server, and the conversion of its hashes.
import type { Act } from '../../domain/audit/act.ts'
import { settingsRecord } from '../../domain/clients/agent-record.ts'
import type { Agent } from '../../domain/clients/agent.ts'
import { hasExpired } from '../../domain/ledger/expiry.ts'
import type { Sha256 } from '../../domain/text/text.ts'
import { BLANK_SETTINGS } from '../../domain/clients/change-agent.ts'
import { formatTimeOrNull } from '../../../../api/values/time.ts'
import type { ImportedAgent, ImportObstacle } from '../../ports/imports.ts'
import { bytesOfHex } from '../rows.ts'
import { first, run, type Program } from '../statement-program.ts'
import { audit, type Transaction } from '../transaction.ts'
import { insertAgent, isNameTaken, lifetimesFull } from './agents.ts'
import { liveCaller } from './api-keys.ts'
import { isIssuerClient, obstacleToEntries } from './issuer-clients.ts'

type Before = { readonly deletedAt: number | null }

function* obstacleOf({ now }: Transaction, imported: ImportedAgent): Program<ImportObstacle | undefined> {
  const { id, clientId, lifetimeSeconds, credential } = imported
  const before = yield* first<Before>('select deleted_at as "deletedAt" from agent where client_id = ?', clientId)
  if (before !== undefined) return before.deletedAt === null ? 'exists' : 'client_id_retired'
  if (yield* isIssuerClient(clientId)) return 'client_id_at_issuer'
  if (hasExpired(credential.expiresAt, now)) return 'secret_expired'
  if (yield* lifetimesFull(lifetimeSeconds)) return 'lifetimes_full'
  return (yield* obstacleToEntries(id, BLANK_SETTINGS, imported))?.why
}

function* firstFree(names: readonly string[]): Program<string | undefined> {
  for (const name of names) if (!(yield* isNameTaken(name))) return name
  return undefined
}

function* importOne(tx: Transaction, imported: ImportedAgent, act: Act): Program<Agent | ImportObstacle> {
  const obstacle = yield* obstacleOf(tx, imported)
  if (obstacle !== undefined) return obstacle
  const { names, isDisabled, credential, ...settings } = imported
  const name = yield* firstFree(names)
  if (name === undefined) return 'name_taken'
  const agent: Agent = {
    ...settings,
    name,
    managedBy: null,
    createdAt: tx.now,
    disabledAt: isDisabled ? tx.now : null,
    suspendedAt: null,
  }
  yield* insertAgent(tx, agent, { name: 'imported', ...credential })
  const after = { client_id: agent.clientId, ...settingsRecord(agent), disabled_at: formatTimeOrNull(agent.disabledAt) }
  const isHash = credential.foreignHash !== null
  const secret = isHash ? 'converted_at_first_use' : credential.isImported ? 'kept' : 'new'
  yield* audit(tx, act, agent.id, { after, credential_id: credential.id, secret })
  return agent
}

type ImportAgents = {
  readonly agents: readonly ImportedAgent[]
  readonly act: Act
  readonly isTrial: boolean
}

function* importEach(tx: Transaction, { agents, act }: ImportAgents): Program<readonly (Agent | ImportObstacle)[]> {
  const outcomes: (Agent | ImportObstacle)[] = []
  for (const agent of agents) outcomes.push(yield* importOne(tx, agent, act))
  return outcomes
}

export function* importAgents(
  tx: Transaction,
  wanted: ImportAgents,
): Program<readonly (Agent | ImportObstacle)[] | 'caller_ended'> {
  if ((yield* liveCaller(tx, wanted.act)) === 'caller_ended') return 'caller_ended'
  if (!wanted.isTrial) return yield* importEach(tx, wanted)
  yield* run('savepoint trial')
  const outcomes = yield* importEach(tx, wanted)
  yield* run('rollback to trial')
  yield* run('release trial')
  return outcomes
}

type ConvertSecret = { readonly credentialId: string; readonly secretHash: Sha256; readonly act: Act }

const CONVERT = `update credential set secret_hash = ?, foreign_hash = null
  where id = ? and foreign_hash is not null and revoked_at is null`
const AGENT_OF = 'select a.id from agent a join credential c on c.agent = a.n where c.id = ?'

/** Takes no number of the service: it refuses and ends nothing, and a process that cached the other server's hash reads again. */
export function* convertSecret(
  tx: Transaction,
  { credentialId, secretHash, act }: ConvertSecret,
): Program<'converted' | 'nothing_to_do'> {
  if ((yield* run(CONVERT, bytesOfHex(secretHash), credentialId)) === 0) return 'nothing_to_do'
  const agent = yield* first<{ id: string }>(AGENT_OF, credentialId)
  yield* audit(tx, act, credentialId, { agent_id: agent?.id ?? null })
  return 'converted'
}
