// The names and owners of agents beside their ids, for people: one look-up for all that are shown. As JSON records
// stay as the API answers them.
import { isUuid } from '../../../../api/values/uuid.ts'
import { lookUpAll, type Named, type NameOf, type Reference } from './agent-look-up.ts'
import type { Api } from '../remote/api.ts'
import { isRecord, type PrintedRecord } from '../terminal/print.ts'

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const agentBy = (value: unknown): Reference | undefined => {
  const id = textOf(value)
  return id !== undefined && isUuid(id) ? { by: 'agent', id } : undefined
}

const clientBy = (value: unknown): Reference | undefined => {
  const id = textOf(value)
  return id === undefined ? undefined : { by: 'client', id }
}

/** The agent that a row is about: its own id, the subject of an act on an agent, the agent of what was acted on, or its client. */
const agentOfRow = ({
  agent_id: id,
  client_id: client,
  kind,
  subject,
  detail,
}: PrintedRecord): Reference | undefined => {
  if (typeof kind === 'string' && kind.startsWith('agent.')) return agentBy(subject)
  const within = isRecord(detail) ? detail['agent_id'] : undefined
  return agentBy(id ?? within) ?? clientBy(client)
}

/** `(reports, owner Ada)` */
const inBrackets = ({ agent, owner }: Named): string =>
  typeof owner === 'string' ? `(${String(agent)}, owner ${owner})` : `(${String(agent)})`

/** `6f1d… (reports, owner Ada)`, or the id alone. */
const describe = (nameOf: NameOf, reference: Reference): string => {
  const named = nameOf(reference)
  return named === undefined ? reference.id : `${reference.id} ${inBrackets(named)}`
}

type Describe = (reference: Reference) => string

/** More than any token has: a service elsewhere may answer anything. */
const ACTORS_SHOWN_MAX = 16

/** The ids of the actors of a token, the last one first, where `act` names one inside of another (RFC 8693 §4.1). */
const actorsIn = (act: unknown): readonly unknown[] => {
  const ids: unknown[] = []
  for (let one = act; isRecord(one) && ids.length < ACTORS_SHOWN_MAX; one = one['act']) ids.push(one['sub'])
  return ids
}

const describeEach = (ids: readonly unknown[], described: Describe): readonly unknown[] =>
  ids.map(id => {
    const reference = agentBy(id)
    return reference === undefined ? id : described(reference)
  })

/** By what an actor of each type is looked up; operators and users at the terminal are named as they are. */
const BY_TYPE: Readonly<Record<string, Reference['by']>> = { client: 'client', api_key: 'api_key' }

const referenceOf = (actor: PrintedRecord): Reference | undefined => {
  const [by, id] = [BY_TYPE[String(actor['type'])], textOf(actor['id'])]
  return by === undefined || id === undefined ? undefined : { by, id }
}

/** Members of records that name agents, beside the one that a record is about, and how each is shown. */
const MEMBERS: Readonly<Record<string, (value: unknown, described: Describe) => unknown>> = {
  subject: (value, described) => {
    const reference = isRecord(value) ? agentBy(value['agent_id']) : undefined
    return reference === undefined ? value : described(reference)
  },
  actors: (value, described) => (Array.isArray(value) ? describeEach(value, described) : value),
  acts_for: (value, described) => (Array.isArray(value) ? describeEach(value, described) : value),
  sub: (value, described) => describeEach([value], described)[0],
  act: (value, described) => (isRecord(value) ? describeEach(actorsIn(value), described) : value),
}

/** Who acted is named by the id of a client or an API key; `id` stays what it is, and can be copied. */
const ACTORS = ['actor', 'by', 'created_by', 'ended_by']

const nameActor = (value: unknown, described: Describe): unknown => {
  const reference = isRecord(value) ? referenceOf(value) : undefined
  return isRecord(value) && reference !== undefined ? { ...value, id: described(reference) } : value
}

const nameMembers = (record: PrintedRecord, described: Describe, names: readonly string[]): PrintedRecord =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (!names.includes(name)) return [name, value]
      return [name, ACTORS.includes(name) ? nameActor(value, described) : MEMBERS[name]?.(value, described)]
    }),
  )

/** What the look-up needs of a record: it is shown once without names. */
const referencesIn = (show: (described: Describe) => unknown): readonly Reference[] => {
  const references: Reference[] = []
  show(reference => {
    references.push(reference)
    return ''
  })
  return references
}

const nameActors = (record: PrintedRecord, described: Describe): PrintedRecord => nameMembers(record, described, ACTORS)

/** The records with `agent` and `owner`, where the caller may read agents; an agent that was deleted has neither. */
export const nameAgents = async (api: Api, records: readonly PrintedRecord[]): Promise<readonly PrintedRecord[]> => {
  const references = records.flatMap(record => [
    ...[agentOfRow(record)].filter(one => one !== undefined),
    ...referencesIn(described => nameActors(record, described)),
  ])
  const nameOf = await lookUpAll(api, references)
  return records.map(record => ({
    ...nameActors(record, reference => describe(nameOf, reference)),
    ...nameOf(agentOfRow(record)),
  }))
}

const IN_RECORDS = [...Object.keys(MEMBERS), ...ACTORS]

/** Its own name and owner stand in it. */
const isAgent = (record: PrintedRecord): boolean => 'name' in record && 'owner' in record

/** The id of the agent of a record with its name: on lines of their own, or beside it where the record has an owner that is another. */
const nameOwn = (record: PrintedRecord, nameOf: NameOf): PrintedRecord => {
  if (isAgent(record)) return record
  const own = agentBy(record['agent_id'])
  const named = nameOf(own)
  const pairs = Object.entries(record).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    if (name === 'client_id' && own === undefined && typeof value === 'string') {
      return [[name, describe(nameOf, { by: 'client', id: value })]]
    }
    if (name !== 'agent_id' || own === undefined || named === undefined) return [[name, value]]
    if ('owner' in record) return [[name, describe(nameOf, own)]]
    return [
      [name, value],
      ['agent', named.agent],
      ['owner', named.owner],
    ]
  })
  return Object.fromEntries(pairs)
}

/** Adds names to a record that has ids of agents. A record with a secret is printed at once: the secret is shown only now. */
export const nameAgent = async (api: Api, record: PrintedRecord): Promise<PrintedRecord> => {
  if ('client_secret' in record) return record
  const own = isAgent(record) ? undefined : (agentBy(record['agent_id']) ?? clientBy(record['client_id']))
  const references = referencesIn(described => nameMembers(record, described, IN_RECORDS))
  const nameOf = await lookUpAll(api, own === undefined ? references : [own, ...references])
  return nameOwn(
    nameMembers(record, reference => describe(nameOf, reference), IN_RECORDS),
    nameOf,
  )
}

/** `6f1d… (reports, owner Ada)`, or the id alone: for a sentence that a person is asked about. */
export const describeAgent = async (api: Api, { agent_id: id }: PrintedRecord): Promise<string> => {
  const reference: Reference = { by: 'agent', id: String(id) }
  return describe(await lookUpAll(api, [reference]), reference)
}
