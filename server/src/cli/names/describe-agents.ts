// Agents with their names where there is no record of a token or an act that has those: in what a person is asked, and in
// records of other things. As JSON records stay as the API answers them.
import { listAgents } from '../../../../api/agents.ts'
import { LISTED_IDS_MAX } from '../../../../api/values/lists.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Api } from '../remote/api.ts'
import { CommandFailed } from '../terminal/exit.ts'
import { areRecords, type PrintedRecord } from '../terminal/print.ts'

/** `6f1d… (reports, owner Ada)`, or the id alone. */
export const describeNamed = (id: unknown, name: unknown, owner: unknown): string => {
  if (typeof name !== 'string') return String(id)
  return typeof owner === 'string' ? `${String(id)} (${name}, owner ${owner})` : `${String(id)} (${name})`
}

/** No failure to name an agent may keep what was asked for from being shown. */
const readAgents = async (api: Api, ids: readonly string[]): Promise<readonly PrintedRecord[]> => {
  if (ids.length === 0) return []
  try {
    const { data } = await api.call(listAgents, { query: { agent_id: ids, limit: LISTED_IDS_MAX } })
    return areRecords(data) ? data : []
  } catch (error) {
    if (error instanceof Unavailable || error instanceof CommandFailed) return []
    throw error
  }
}

/** Members that hold ids of agents, and those of them that a record with names of its own has beside those. */
const MEMBERS = ['agent_id', 'client_id', 'sub', 'acts_for']
const BESIDE_NAMES = ['acts_for']

/** A record for people, by one look-up of as many agents as a request takes. One with a secret is printed at once: it is shown only now. */
export const describeAgentsIn = async (api: Api, record: PrintedRecord): Promise<PrintedRecord> => {
  if ('client_secret' in record) return record
  const hasNames = 'agent_name' in record || ('name' in record && 'owner' in record)
  const members = Object.entries(record).filter(([name]) => (hasNames ? BESIDE_NAMES : MEMBERS).includes(name))
  const ids = members.flatMap(([, value]) => value).filter(id => typeof id === 'string' && isUuid(id))
  const agents = await readAgents(api, [...new Set(ids.map(String))].slice(0, LISTED_IDS_MAX))
  const described = new Map<unknown, string>(
    agents.map(({ agent_id: id, name, owner }) => [id, describeNamed(id, name, owner)]),
  )
  const describe = (id: unknown): unknown => described.get(id) ?? id
  const shown = members.map(([name, value]) => [name, Array.isArray(value) ? value.map(describe) : describe(value)])
  return { ...record, ...(Object.fromEntries(shown) as PrintedRecord) } // of its members
}

export const describeAgent = async (api: Api, id: unknown): Promise<string> =>
  String((await describeAgentsIn(api, { agent_id: id }))['agent_id'])
