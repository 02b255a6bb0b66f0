// A page of agents, by name: one scan of the index of names, of bounded length whatever is asked for.
import type { Agent } from '../../domain/clients/agent.ts'
import { type AgentFilters, type KeyedPage, type KeyedRequest, PAGE_EXAMINED_MAX } from '../../domain/lists/page.ts'
import type { AgentMarks } from '../../domain/ledger/selection.ts'
import { IDS_OPENED_MAX } from '../../../../api/values/lists.ts'
import { parseUuid } from '../../../../api/values/uuid.ts'
import { AGENT_COLUMNS, agentOf, type AgentRow } from '../repositories/agent-columns.ts'
import { LAST_USE_STEP_MS } from '../repositories/last-uses.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'
import { containing } from './agent-text.ts'
import {
  ABOVE_EVERY_TEXT,
  allOf,
  clientSearched,
  type Condition,
  idSearched,
  isAnyOf,
  opensWith,
} from './name-conditions.ts'

/** Whether a name stands behind another in the order of the store: that of the bytes, not of JavaScript's strings. */
const isBehind = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0

type Range = { readonly from: string; readonly comparison: '>' | '>='; readonly until: string }

// One lower and one upper bound: of two SQLite may take the wider, and scan to the other.
const rangeOf = ({ name, namePrefix }: AgentFilters, after: string | null): Range => {
  let range: Range = { from: after ?? '', comparison: '>', until: ABOVE_EVERY_TEXT }
  for (const [opening, rest] of [
    [name, ''],
    [namePrefix, ABOVE_EVERY_TEXT],
  ] as const) {
    if (opening === null) continue
    if (isBehind(opening, range.from)) range = { ...range, from: opening, comparison: '>=' }
    const end = opening + rest
    if (isBehind(range.until, end)) range = { ...range, until: end }
  }
  return range
}

const within = ({ from, comparison, until }: Range): Condition => ({
  sql: `name ${comparison} ? and name <= ?`,
  values: [from, until],
})

/** A member of a JSON object or list stands in its text as it would alone: a quotation mark inside a value is escaped there. */
const holding = (column: string, member: string): Condition => ({
  sql: `replace(${column}, ?, '') <> ${column}`,
  values: [member],
})

const memberOf = ({ key, value }: AgentFilters['labels'][number]): string =>
  JSON.stringify({ [key]: value }).slice(1, -1)

/** The time of a use is that of the last one written, which may be so much older. */
const UNUSED = `created_at < ? and not exists (
  select 1 from credential where credential.agent = agent.n and credential.last_used_at > ?)`

/** What the index of names cannot decide. */
const marks = ({
  disabled,
  owner,
  labels,
  grantType = null,
  unusedSince = null,
  expiresBefore = null,
}: Pick<AgentFilters, 'disabled' | 'owner' | 'labels'> &
  Partial<Pick<AgentFilters, 'grantType' | 'unusedSince' | 'expiresBefore'>>): readonly Condition[] => [
  ...(disabled === null ? [] : [{ sql: `disabled_at is ${disabled ? 'not null' : 'null'}`, values: [] }]),
  ...(owner === null ? [] : [{ sql: 'owner = ?', values: [owner] }]),
  ...labels.map(label => holding('labels', memberOf(label))),
  ...(grantType === null ? [] : [holding('grant_types', JSON.stringify(grantType))]),
  ...(unusedSince === null ? [] : [{ sql: UNUSED, values: [unusedSince, unusedSince - LAST_USE_STEP_MS] }]),
  ...(expiresBefore === null ? [] : [{ sql: 'expires_at < ?', values: [expiresBefore] }]),
]

const KEPT: Condition = { sql: 'deleted_at is null', values: [] }

const both = (conditions: readonly Condition[]): Condition => allOf([KEPT, ...conditions])

const called = (name: string): Condition => ({ sql: 'name = ?', values: [name] })

/** Agents of this owner, with these labels and this name: those that are not deleted, or all that ever were. */
export const markedBy = ({ owner, labels, agentName }: AgentMarks, among: 'kept' | 'ever' = 'kept'): Condition =>
  allOf([
    ...(among === 'kept' ? [KEPT] : []),
    ...(agentName === null ? [] : [called(agentName)]),
    ...marks({ owner, labels: labels ?? [], disabled: null }),
  ])

/** The same condition, a range of this column, cut off after the last row that a page may examine. */
function* bounded(column: string, opened: Condition): Program<Condition> {
  const select = `select ${column} as last from agent where ${opened.sql} order by ${column} limit 1 offset ?`
  const bound = yield* first<{ last: string }>(select, ...opened.values, PAGE_EXAMINED_MAX - 1)
  if (bound === undefined) return opened
  return { sql: `${column} >= ? and ${column} <= ?`, values: [...opened.values.slice(0, 1), bound.last] }
}

const isNoneOf = (rows: readonly AgentRow[]): readonly Condition[] => {
  const ids = rows.map(({ id }) => id)
  return isAnyOf('id', ids).map(({ sql, values }) => ({ sql: `not ${sql}`, values }))
}

/** The agents whose ids, or those of their clients, are this or open so, as far as they pass the other filters. */
function* readOpened(text: string, others: readonly Condition[]): Program<readonly AgentRow[]> {
  const found = new Map<string, AgentRow>()
  for (const [column, opened] of [
    ['id', idSearched('id', text)],
    ['client_id', clientSearched(text)],
  ] as const) {
    if (opened === undefined) continue
    const where = both([yield* bounded(column, opened), ...others])
    const select = `select ${AGENT_COLUMNS} from agent where ${where.sql} order by ${column} limit ${IDS_OPENED_MAX}`
    for (const row of yield* all<AgentRow>(select, ...where.values)) found.set(row.id, row)
  }
  return [...found.values()].slice(0, IDS_OPENED_MAX)
}

const BY_NAME = `from agent ${byIndex('agent_name')} where`

/** What a search finds by an index: by ids as above, and the agent with this name. */
function* readIndexed(filters: AgentFilters): Program<readonly AgentRow[]> {
  const { search, namePrefix } = filters
  if (search === null) return []
  const others = [...(namePrefix === null ? [] : [opensWith('name', namePrefix)]), ...marks(filters)]
  const opened = yield* readOpened(search, others)
  const where = both([called(search), ...others, ...isNoneOf(opened)])
  return [...opened, ...(yield* all<AgentRow>(`select ${AGENT_COLUMNS} ${BY_NAME} ${where.sql}`, ...where.values))]
}

/** The agents with the first of the credentials whose ids open so. */
const WITH_CREDENTIAL = `n in (select agent from credential where id >= ? and id <= ? order by id limit ${IDS_OPENED_MAX})`

/** The agents that an id leads to which opens so: their own, that of their client, or of a credential. */
function* readByAnyId(text: string, others: readonly Condition[]): Program<readonly AgentRow[]> {
  const opened = yield* readOpened(text, others)
  const credential = idSearched('id', text)
  if (credential === undefined) return opened
  const owners = { sql: WITH_CREDENTIAL, values: credential.values }
  const where = both([owners, ...others, ...isNoneOf(opened)])
  return [
    ...opened,
    ...(yield* all<AgentRow>(`select ${AGENT_COLUMNS} from agent where ${where.sql}`, ...where.values)),
  ]
}

const searched = ({ search }: AgentFilters): readonly Condition[] => (search === null ? [] : [containing(search)])

/** Those of a few ids that pass the other filters. */
function* readEach(filters: AgentFilters, after: string | null): Program<readonly AgentRow[]> {
  const { ids, clientIds, idPrefix, name: whole, namePrefix } = filters
  const others = [
    ...isAnyOf('id', ids),
    ...isAnyOf('client_id', clientIds),
    ...(whole === null && namePrefix === null ? [] : [within(rangeOf(filters, null))]),
    ...marks(filters),
    ...searched(filters),
  ]
  const where = both(others)
  // Which are the first that an id leads to does not depend on the page.
  const rows =
    idPrefix === null
      ? yield* all<AgentRow>(`select ${AGENT_COLUMNS} from agent where ${where.sql}`, ...where.values)
      : yield* readByAnyId(idPrefix, others)
  return rows.filter(({ name }) => isBehind(name, after ?? ''))
}

/** The name of the last agent that a page may look at; undefined where it may look at all that follow. */
function* readBound(range: Range): Program<string | undefined> {
  const where = both([within(range)])
  const select = `select name ${BY_NAME} ${where.sql} order by name limit 1 offset ?`
  return (yield* first<{ name: string }>(select, ...where.values, PAGE_EXAMINED_MAX - 1))?.name
}

type Page = KeyedPage<AgentRow>

/** The first of these in the order of names, and where the page ended. */
const cut = (rows: readonly AgentRow[], limit: number, bound: string | null): Page => {
  const records = rows.toSorted((a, b) => (isBehind(a.name, b.name) ? 1 : -1)).slice(0, limit)
  return { records, next: rows.length > limit ? (records.at(-1)?.name ?? '') : bound }
}

/** `indexed` was found already: here not again, and `among` them at its place. */
type Found = { readonly indexed: readonly AgentRow[]; readonly among: readonly AgentRow[] }

function* readByName({ filters, after, limit }: KeyedRequest<AgentFilters>, { indexed, among }: Found): Program<Page> {
  const range = rangeOf(filters, after)
  const bound = yield* readBound(range)
  const on = within({ ...range, until: bound ?? range.until })
  const where = both([on, ...isNoneOf(indexed), ...marks(filters), ...searched(filters)])
  const select = `select ${AGENT_COLUMNS} ${BY_NAME} ${where.sql} order by name limit ?`
  const rows = yield* all<AgentRow>(select, ...where.values, limit + 1)
  const isOnPage = ({ name }: AgentRow) =>
    isBehind(name, after ?? '') && (bound === undefined || !isBehind(name, bound))
  return cut([...among.filter(isOnPage), ...rows], limit, bound ?? null)
}

function* readPage(request: KeyedRequest<AgentFilters>): Program<Page> {
  const { filters, after, limit } = request
  const indexed = yield* readIndexed(filters)
  const whole = parseUuid(filters.search ?? '')
  // One comes before all others: that with this whole id, or else with this whole name. A page has room for it.
  const exact = indexed.find(({ id }) => id === whole) ?? indexed.find(({ name }) => name === filters.search)
  const among = indexed.filter(row => row !== exact)
  const opening = exact === undefined || after !== null ? [] : [exact]
  const { records, next } = yield* readByName({ ...request, limit: limit - opening.length }, { indexed, among })
  return { records: [...opening, ...records], next }
}

export function* listAgents(request: KeyedRequest<AgentFilters>): Program<KeyedPage<Agent>> {
  const { filters, after, limit } = request
  const isOfIds = filters.ids.length + filters.clientIds.length > 0 || filters.idPrefix !== null
  const { records, next } = isOfIds ? cut(yield* readEach(filters, after), limit, null) : yield* readPage(request)
  return { records: records.map(agentOf), next }
}
