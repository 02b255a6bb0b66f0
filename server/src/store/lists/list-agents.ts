// A page of agents, by name: one scan of the index of names, of bounded length whatever is asked for.
import type { Agent } from '../../domain/clients/agent.ts'
import { type AgentFilters, type KeyedPage, type KeyedRequest, PAGE_EXAMINED_MAX } from '../../domain/lists/page.ts'
import { isUuid } from '../../../../api/values/uuid.ts'
import { AGENT_COLUMNS, agentOf, type AgentRow } from '../repositories/agent-columns.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'

/** Above every name: no name holds this character, which is none. */
const ABOVE_EVERY_NAME = '\u{10FFFF}'

/** A condition of SQL and the values in it. */
type Condition = { readonly sql: string; readonly values: readonly (string | number)[] }

/** Whether a name stands behind another in the order of the store: that of the bytes, not of JavaScript's strings. */
const isBehind = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0

type Range = { readonly from: string; readonly comparison: '>' | '>='; readonly until: string }

// One lower and one upper bound: of two SQLite may take the wider, and scan to the other.
const rangeOf = ({ namePrefix, search }: AgentFilters, after: string | null): Range => {
  let range: Range = { from: after ?? '', comparison: '>', until: ABOVE_EVERY_NAME }
  for (const prefix of [namePrefix, search]) {
    if (prefix === null) continue
    if (isBehind(prefix, range.from)) range = { ...range, from: prefix, comparison: '>=' }
    const end = prefix + ABOVE_EVERY_NAME
    if (isBehind(range.until, end)) range = { ...range, until: end }
  }
  return range
}

const within = ({ from, comparison, until }: Range): Condition => ({
  sql: `name ${comparison} ? and name <= ?`,
  values: [from, until],
})

const opensWith = (prefix: string | null): readonly Condition[] =>
  prefix === null ? [] : [{ sql: 'name >= ? and name <= ?', values: [prefix, prefix + ABOVE_EVERY_NAME] }]

// A label stands in the text of its JSON as it would alone: a quotation mark inside a value is escaped there.
const HAS_LABEL = `replace(labels, ?, '') <> labels`

const memberOf = ({ key, value }: AgentFilters['labels'][number]): string =>
  JSON.stringify({ [key]: value }).slice(1, -1)

/** What the index of names cannot decide. */
const marks = ({
  disabled,
  owner,
  labels,
}: Pick<AgentFilters, 'disabled' | 'owner' | 'labels'>): readonly Condition[] => [
  ...(disabled === null ? [] : [{ sql: `disabled_at is ${disabled ? 'not null' : 'null'}`, values: [] }]),
  ...(owner === null ? [] : [{ sql: 'owner = ?', values: [owner] }]),
  ...labels.map(label => ({ sql: HAS_LABEL, values: [memberOf(label)] })),
]

const both = (conditions: readonly Condition[]): Condition => ({
  sql: ['deleted_at is null', ...conditions.map(one => one.sql)].join(' and '),
  values: conditions.flatMap(one => one.values),
})

/** Agents that are not deleted, of this owner, with these labels. */
export const markedBy = (by: Pick<AgentFilters, 'owner' | 'labels'>): Condition =>
  both(marks({ ...by, disabled: null }))

/** The agent whose id is searched for, if it passes the other filters. */
const readExact = (id: string, filters: AgentFilters): Program<readonly AgentRow[]> => {
  const where = both([{ sql: 'id = ?', values: [id] }, ...opensWith(filters.namePrefix), ...marks(filters)])
  return all<AgentRow>(`select ${AGENT_COLUMNS} from agent where ${where.sql}`, ...where.values)
}

const BY_NAME = `from agent ${byIndex('agent_name')} where`

/** The name of the last agent that a page may look at; undefined where it may look at all that follow. */
function* readBound(range: Range): Program<string | undefined> {
  const where = both([within(range)])
  const select = `select name ${BY_NAME} ${where.sql} order by name limit 1 offset ?`
  return (yield* first<{ name: string }>(select, ...where.values, PAGE_EXAMINED_MAX - 1))?.name
}

const exactId = ({ search }: AgentFilters): string | null => {
  const id = search?.toLowerCase() ?? ''
  return isUuid(id) ? id : null
}

export function* listAgents({ filters, after, limit }: KeyedRequest<AgentFilters>): Program<KeyedPage<Agent>> {
  const id = exactId(filters)
  const exact = id === null || after !== null ? [] : yield* readExact(id, filters)
  const range = rangeOf(filters, after)
  const bound = yield* readBound(range)
  const others = id === null ? [] : [{ sql: 'id <> ?', values: [id] }]
  const where = both([within({ ...range, until: bound ?? range.until }), ...others, ...marks(filters)])
  const select = `select ${AGENT_COLUMNS} ${BY_NAME} ${where.sql} order by name limit ?`
  const room = limit - exact.length
  const rows = yield* all<AgentRow>(select, ...where.values, room + 1)
  const shown = rows.slice(0, room)
  const next = rows.length > room ? (shown.at(-1)?.name ?? '') : (bound ?? null)
  return { records: [...exact, ...shown].map(agentOf), next }
}
