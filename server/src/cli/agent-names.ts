// The names and owners of agents beside their ids, for people: one look-up for each agent that is shown. As JSON records
// stay as the API answers them.
import { showAgent } from '../../../api/agents.ts'
import { isUuid } from '../../../api/values/uuid.ts'
import { Unavailable } from '../domain/refusal.ts'
import type { Api } from './remote/api.ts'
import { CommandFailed, EXIT } from './terminal/exit.ts'
import type { PrintedRecord } from './terminal/print.ts'

type Named = { readonly agent: unknown; readonly owner: unknown }

/** Of one table. A list that is read to its end may name more agents than anybody reads. */
const AGENTS_NAMED_MAX = 1000
const AT_ONCE_MAX = 8

/** The agent that a record is about: its own id, or the subject of an act on an agent. */
const agentIdOf = ({ agent_id: id, kind, subject }: PrintedRecord): string | undefined => {
  const found = typeof kind === 'string' && kind.startsWith('agent.') ? subject : id
  return typeof found === 'string' && isUuid(found) ? found : undefined
}

/** Undefined for an agent that is gone; null where there is no use in asking for others either. */
const lookUp = async (api: Api, id: string): Promise<Named | undefined | null> => {
  try {
    const { name, owner } = await api.call(showAgent, { path: { id } })
    return { agent: name, owner }
  } catch (error) {
    // What was asked for is there already: no failure to name an agent may keep it from being shown.
    if (error instanceof Unavailable) return null
    if (error instanceof CommandFailed) return error.exitCode === EXIT.failed ? undefined : null
    throw error
  }
}

const lookUpAll = async (api: Api, ids: readonly string[]): Promise<ReadonlyMap<string, Named>> => {
  const named = new Map<string, Named>()
  for (let n = 0; n < ids.length; n += AT_ONCE_MAX) {
    const some = ids.slice(n, n + AT_ONCE_MAX)
    const found = await Promise.all(some.map(id => lookUp(api, id)))
    for (const [at, id] of some.entries()) {
      const one = found[at]
      if (one !== undefined && one !== null) named.set(id, one)
    }
    if (found.includes(null)) break
  }
  return named
}

/** The records with `agent` and `owner`, where the caller may read agents; an agent that was deleted has neither. */
export const nameAgents = async (api: Api, records: readonly PrintedRecord[]): Promise<readonly PrintedRecord[]> => {
  const ids = new Set(records.map(agentIdOf).filter(id => id !== undefined))
  const named = await lookUpAll(api, [...ids].slice(0, AGENTS_NAMED_MAX))
  return records.map(record => ({ ...record, ...named.get(agentIdOf(record) ?? '') }))
}

/** Of a record that names an agent and is none itself. One with a secret is shown at once: it is shown this once. */
export const nameAgent = async (api: Api, record: PrintedRecord): Promise<PrintedRecord> => {
  const isOfAgent = 'agent_id' in record && !('owner' in record)
  if (!isOfAgent || 'client_secret' in record) return record
  const [named = record] = await nameAgents(api, [record])
  const { agent, owner, ...rest } = named
  if (agent === undefined) return record
  const pairs = Object.entries(rest).flatMap(([name, value]) =>
    name === 'agent_id'
      ? [[name, value] as const, ['agent', agent] as const, ['owner', owner] as const]
      : [[name, value] as const],
  )
  return Object.fromEntries(pairs)
}

/** `6f1d… (reports, owner Ada)`, or the id alone: for a sentence that a person is asked about. */
export const describeAgent = async (api: Api, record: PrintedRecord): Promise<string> => {
  const id = String(record['agent_id'])
  const { agent, owner } = await nameAgent(api, record)
  if (typeof agent !== 'string') return id
  return typeof owner === 'string' ? `${id} (${agent}, owner ${owner})` : `${id} (${agent})`
}
