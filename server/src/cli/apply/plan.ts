// The plan of declared records: asked of the service in parts, in the order in which it is applied.
import { listManaged, planRecords } from '../../../../api/managed.ts'
import { type ManagedKind, MANAGED_KINDS, PLAN_BYTES_MAX, PLANNED_RECORDS_MAX } from '../../../../api/values/managed.ts'
import type { Api, CallOf } from '../remote/api.ts'
import { askAll } from '../lists/read-list.ts'
import { CommandFailed, EXIT } from '../terminal/exit.ts'
import { areRecords, isRecord, type PrintedRecord } from '../terminal/print.ts'
import type { Declared } from './declared-files.ts'

/** The set that the records are of, and whether others may be taken over for it. */
export type Terms = { readonly set: string; readonly adopt: boolean }

/** What becomes of one record; `answer` is the service's. */
export type Planned = Declared & {
  readonly answer: PrintedRecord
  readonly kind: ManagedKind
  readonly name: string
}

type Records = CallOf<typeof planRecords>['body']['documents']

const textIn = (record: PrintedRecord, member: string): string => {
  const { [member]: value } = record
  return typeof value === 'string' ? value : ''
}

const kindOf = (record: PrintedRecord): ManagedKind => {
  const kind = record['kind'] === 'removal' ? record['of'] : record['kind']
  const found = MANAGED_KINDS.find(one => one === kind)
  if (found === undefined) throw new CommandFailed('The answer has a kind of record that this version does not know.')
  return found
}

/** An agent and its credentials stand together, so that a plan of these knows of it. */
const inGroups = (declared: readonly Declared[]): readonly (readonly Declared[])[] => {
  const groups = new Map<string, Declared[]>()
  const of = (key: string): Declared[] => {
    const known = groups.get(key)
    if (known !== undefined) return known
    const made: Declared[] = []
    groups.set(key, made)
    return made
  }
  const names = new Map<string, string>()
  const others = declared.filter(({ record }) => kindOf(record) !== 'agent')
  for (const one of others.filter(({ record }) => kindOf(record) === 'issuer')) of('issuers').push(one)
  for (const one of declared.filter(({ record }) => kindOf(record) === 'agent')) {
    const [name, id] = [textIn(one.record, 'name'), textIn(one.record, 'agent_id').toLowerCase()]
    names.set(id, name)
    of(`agent ${name}`).push(one)
  }
  for (const one of others.filter(({ record }) => kindOf(record) === 'credential')) {
    const agent = textIn(one.record, 'agent')
    of(`agent ${names.get(agent.toLowerCase()) ?? agent}`).push(one)
  }
  return [...groups.values()]
}

/** What a plan holds beside its records: the aliases of issuers, and what is around. */
const AROUND_BYTES = 16_384
const PART_BYTES = PLAN_BYTES_MAX - AROUND_BYTES

const bytesOf = (some: readonly Declared[]): number =>
  some.reduce((sum, { record }) => sum + Buffer.byteLength(JSON.stringify(record)) + 1, 0)

const isPart = (some: readonly Declared[]): boolean => some.length <= PLANNED_RECORDS_MAX && bytesOf(some) <= PART_BYTES

/** Groups in parts that a plan may hold; one that is larger is divided. */
const inParts = (groups: readonly (readonly Declared[])[]): readonly (readonly Declared[])[] => {
  const parts: (readonly Declared[])[] = []
  const pieces = groups.flatMap(group => (isPart(group) ? [group] : group.map(one => [one])))
  for (const piece of pieces.filter(({ length }) => length > 0)) {
    const joined = [...(parts.at(-1) ?? []), ...piece]
    if (parts.length > 0 && isPart(joined)) parts.splice(-1, 1, joined)
    else parts.push(piece)
  }
  return parts
}

/** `documents.3.scope is …` is of a file; a person looks for its place there. */
const OF_RECORD = /^documents\.(\d{1,4})[. ]/

const atPlace = (fault: unknown, part: readonly Declared[]): unknown => {
  if (!(fault instanceof CommandFailed)) return fault
  const place = part[Number(OF_RECORD.exec(fault.message)?.[1])]?.place
  if (place === undefined) return fault
  return new CommandFailed(`${place}: ${fault.message.replace(OF_RECORD, '')}`, EXIT.failed, fault.error)
}

const planPart = async (
  api: Pick<Api, 'call'>,
  part: readonly Declared[],
  { set, adopt }: Terms,
  issuers: readonly string[],
): Promise<readonly Planned[]> => {
  const records = part.map(({ record }) => record) as unknown as Records // the service parses them
  const { data } = await api
    .call(planRecords, { body: { set, adopt, issuers: [...issuers], documents: records } })
    .catch(fault => {
      throw atPlace(fault, part)
    })
  if (!areRecords(data) || data.length !== part.length)
    throw new CommandFailed('The answer is no plan: is the URL that of a service of this version?')
  return part.flatMap((declared, n) => {
    const answer = data[n]
    if (answer === undefined) return []
    return [{ ...declared, answer, kind: kindOf(declared.record), name: textIn(answer, 'name') }]
  })
}

const planEach = async (
  api: Pick<Api, 'call'>,
  parts: readonly (readonly Declared[])[],
  terms: Terms,
  issuers: readonly string[],
): Promise<readonly Planned[]> => {
  const planned: Planned[] = []
  for (const part of parts) planned.push(...(await planPart(api, part, terms, issuers)))
  return planned
}

const keyOf = (kind: unknown, id: unknown): string => `${String(kind)} ${String(id)}`

/** What the set managed and no file has: removals, of an agent after its credentials. */
const undeclared = (
  { set }: Terms,
  managed: readonly PrintedRecord[],
  planned: readonly Planned[],
): readonly Declared[] => {
  const declared = new Set(planned.map(({ kind, answer }) => keyOf(kind, answer['id'])))
  const left = managed.filter(({ kind, id }) => !declared.has(keyOf(kind, id)))
  const agents = new Set(left.filter(({ kind }) => kind === 'agent').map(({ name }) => name))
  return MANAGED_KINDS.toReversed().flatMap(kind =>
    left
      .filter(one => one['kind'] === kind && !(kind === 'credential' && agents.has(one['agent'])))
      .map(({ id }) => ({ place: `what ${set} manages`, record: { kind: 'removal', of: kind, id } })),
  )
}

/** What becomes of the records, and of what no file has any more. */
export type Plan = {
  readonly planned: readonly Planned[]
  /** How many records of the set are in no file, and stay. */
  readonly left: number
  /** Agents of the set that are in no file: one that is made may be one of these by another name. */
  readonly gone: readonly Planned[]
}

/** What a record is known by, before it is applied and after. */
const identitiesOf = ({ kind, record, answer, name }: Planned): readonly string[] => {
  if (kind === 'issuer') return [name]
  if (kind === 'credential') {
    const named = JSON.stringify([answer['agent'], textIn(record, 'name')])
    const { workload_identity: workload } = record
    return isRecord(workload) ? [named, JSON.stringify([workload['issuer'], workload['subject'], 'workload'])] : [named]
  }
  return [textIn(record, 'name'), textIn(answer, 'id') || textIn(record, 'agent_id').toLowerCase()]
}

/** Refuses two documents of one record: each would undo the other, in every run. */
const refuseRepeated = (planned: readonly Planned[]): void => {
  const places = new Map<string, string>()
  for (const one of planned) {
    for (const identity of identitiesOf(one).filter(text => text !== '')) {
      const key = `${one.kind} ${identity}`
      const before = places.get(key)
      if (before !== undefined && before !== one.place)
        throw new CommandFailed(
          `${one.place}: it is the same ${one.kind} as ${before}. Declare it once; what one agent leaves, such as its name, is free for another in the next run.`,
        )
      places.set(key, one.place)
    }
  }
}

/** Refuses to delete an agent whose credential a file has: the next run would find no agent for it. */
const refuseBereft = (planned: readonly Planned[], gone: readonly Planned[]): void => {
  const names = new Set(gone.map(({ name }) => name))
  const bereft = planned.find(({ kind, answer }) => kind === 'credential' && names.has(textIn(answer, 'agent')))
  if (bereft !== undefined)
    throw new CommandFailed(
      `${bereft.place}: its agent is in no file, and --prune would delete it. Declare the agent, too.`,
    )
}

const inOrder = (planned: readonly Planned[]): readonly Planned[] =>
  MANAGED_KINDS.flatMap(kind => planned.filter(one => one.kind === kind))

export const isRefused = ({ answer }: Planned): boolean => isRecord(answer['refusal'])

export const isDifferent = ({ answer }: Planned): boolean => answer['action'] !== 'none'

/** Plans all: issuers, agents, credentials, and what is deleted last. */
export const planAll = async (
  api: Api,
  declared: readonly Declared[],
  terms: Terms,
  isPruning: boolean,
): Promise<Plan> => {
  const issuers = declared.flatMap(({ record }) => (record['kind'] === 'issuer' ? [textIn(record, 'alias')] : []))
  // First: what another run of the same files makes meanwhile has no id in the plans of this one.
  const managed = await askAll(api, listManaged, { query: { set: terms.set }, columns: ['kind', 'id'] })
  const planned = inOrder(await planEach(api, inParts(inGroups(declared)), terms, issuers))
  refuseRepeated(planned)
  const removals = undeclared(terms, managed, planned)
  const isMaking = planned.some(({ kind, answer }) => kind === 'agent' && answer['action'] === 'create')
  const asked = isPruning ? removals : removals.filter(one => isMaking && kindOf(one.record) === 'agent')
  const removed = await planEach(api, inParts([asked]), terms, [])
  const gone = removed.filter(({ kind }) => kind === 'agent')
  if (isPruning) refuseBereft(planned, gone)
  // What could not be planned may be what is managed.
  if (planned.some(isRefused)) return { planned, left: 0, gone }
  return isPruning ? { planned: [...planned, ...removed], left: 0, gone } : { planned, left: removals.length, gone }
}
