// What becomes of an agent that a file declares.
import { type AgentChange, type AgentSettings, BLANK_SETTINGS } from '../../../domain/clients/change-agent.ts'
import { settingsRecord } from '../../../domain/clients/agent-record.ts'
import { refuseEntry } from '../../../domain/clients/issuer-entries.ts'
import type { ManagedTerms, Wanted } from '../../../domain/clients/managed-record.ts'
import type { Coming } from '../../../ports/managed-records.ts'
import { type AgentRow, agentOf } from '../agent-columns.ts'
import { insertAgent, isNameTaken, lifetimesFull, readAgentRow } from '../agents.ts'
import { changeAgent, decideChange, deleteAgent, endingsOfDeletion } from '../change-agent.ts'
import { isIssuerClient, obstacleToEntries } from '../issuer-clients.ts'
import type { Seen } from '../../snapshot.ts'
import { first, run, type Program } from '../../statement-program.ts'
import { audit, differenceOf } from '../../transaction.ts'
import { auditAdoption, type Decided, obstacle, obstacleOfOthers, refusedBy, remarkOf, unchanged } from './decision.ts'

type WantedAgent = Wanted<'agent'>

/** The id and the client id are one; both are remembered of agents that are deleted. */
const USED = 'select 1 as found from agent where id = ? or client_id = ?'

function* isIdUsed(id: string): Program<boolean> {
  return (yield* first(USED, id, id)) !== undefined || (yield* isIssuerClient(id))
}

function* decideCreation(
  { agentId, settings, newId }: WantedAgent,
  { managedBy }: ManagedTerms,
  { issuers }: Coming,
): Program<Decided> {
  if (agentId !== null && (yield* isIdUsed(agentId))) return obstacle('id_used')
  if (yield* isNameTaken(settings.name)) return obstacle('name_taken')
  if (yield* lifetimesFull(settings.lifetimeSeconds)) return obstacle('lifetimes_full')
  const id = agentId ?? newId
  const entry = yield* obstacleToEntries(id, BLANK_SETTINGS, settings, issuers)
  if (entry !== undefined) return refusedBy(refuseEntry(entry))
  const after = settingsRecord(settings)
  return {
    kind: 'agent',
    action: 'create',
    id: agentId,
    name: settings.name,
    agent: null,
    before: {},
    after,
    remark: null,
    endings: [],
    run: function* (tx, act) {
      const made = { id, clientId: id, ...settings, managedBy, createdAt: tx.now, disabledAt: null, suspendedAt: null }
      yield* insertAgent(tx, made, null)
      yield* audit(tx, { ...act, kind: 'agent.create' }, id, {
        after: { client_id: id, ...after, managed_by: managedBy },
      })
      return id
    },
  }
}

/** The change that makes all settings those of the file: labels that it does not have are removed. */
const changeTo = (row: AgentRow, settings: AgentSettings): AgentChange => {
  const removed = Object.keys(agentOf(row).labels).filter(key => !Object.hasOwn(settings.labels, key))
  return { ...settings, labels: { ...Object.fromEntries(removed.map(key => [key, null])), ...settings.labels } }
}

const ADOPT = 'update agent set managed_by = ? where n = ?'

type Deciding = { readonly wanted: WantedAgent; readonly terms: ManagedTerms; readonly coming: Coming }

function* decideOn(seen: Seen, row: AgentRow, { wanted, terms, coming }: Deciding): Program<Decided> {
  const others = obstacleOfOthers(row.managedBy, terms)
  if (others !== undefined) return others
  const { managedBy, serviceAudience } = terms
  const change = { agentId: row.id, change: changeTo(row, wanted.settings), serviceAudience }
  const decided = yield* decideChange(seen, { ...change, comingIssuers: coming.issuers })
  if (decided === 'unknown') throw new Error('An agent was read, and is not there.')
  if (typeof decided === 'string') return obstacle(decided)
  if ('refusal' in decided) return refusedBy(decided)
  const { before, after, changed, endings } = decided
  const record = { kind: 'agent', id: row.id, name: row.name, agent: null, remark: remarkOf(row) } as const
  const isAdopted = row.managedBy !== managedBy
  if (changed.length === 0 && !isAdopted) return unchanged(record)
  return {
    ...record,
    ...differenceOf(settingsRecord(before), settingsRecord(after)),
    action: changed.length === 0 ? 'adopt' : 'change',
    endings,
    run: function* (tx, act) {
      const acted = { ...act, kind: 'agent.change' } as const
      if (changed.length > 0) yield* changeAgent(tx, { ...change, act: acted })
      if (!isAdopted) return row.id
      yield* run(ADOPT, managedBy, row.n)
      yield* auditAdoption(tx, acted, row, terms)
      return row.id
    },
  }
}

const BY_NAME = 'select id from agent where name = ? and deleted_at is null'

/** The id of the agent with this id or this name. */
export function* findAgentId(idOrName: string): Program<string | undefined> {
  const byId = yield* readAgentRow(idOrName)
  return byId?.id ?? (yield* first<{ id: string }>(BY_NAME, idOrName))?.id
}

export function* decideAgent(seen: Seen, deciding: Deciding): Program<Decided> {
  const { wanted, terms, coming } = deciding
  const { agentId, settings } = wanted
  const id = agentId ?? (yield* first<{ id: string }>(BY_NAME, settings.name))?.id
  const row = id === undefined ? undefined : yield* readAgentRow(id)
  return row === undefined ? yield* decideCreation(wanted, terms, coming) : yield* decideOn(seen, row, deciding)
}

export function* decideAgentRemoval(id: string, terms: ManagedTerms): Program<Decided> {
  const row = yield* readAgentRow(id)
  if (row === undefined) return unchanged({ kind: 'agent', id, name: id, agent: null })
  const others = obstacleOfOthers(row.managedBy, { ...terms, adopt: false })
  if (others !== undefined) return others
  return {
    kind: 'agent',
    action: 'delete',
    id,
    name: row.name,
    agent: null,
    before: settingsRecord(agentOf(row)),
    after: {},
    remark: remarkOf(row),
    endings: endingsOfDeletion(row),
    run: function* (tx, act) {
      yield* deleteAgent(tx, { agentId: id, act: { ...act, kind: 'agent.delete' } })
      return id
    },
  }
}
