// A page of agents, by name: one walk of the index of names, of bounded length whatever is asked for.
import type { Agent } from '../../domain/agent.ts'
import { type AgentFilters, type KeyedPage, type KeyedRequest, PAGE_EXAMINED_MAX } from '../../domain/page.ts'
import { isUuid } from '../../domain/token-id.ts'
import { AGENT_COLUMNS, agentOf, type AgentRow } from './agents.ts'
import type { Statements } from './statements.ts'

/** Above every name: no name holds this character, which is none. */
const ABOVE_EVERY_NAME = '\u{10FFFF}'

/** A condition of SQL and the values in it. */
type Condition = { readonly sql: string; readonly values: readonly (string | number)[] }

const opensWith = (prefix: string | null): readonly Condition[] =>
  prefix === null ? [] : [{ sql: 'name >= ? and name < ?', values: [prefix, prefix + ABOVE_EVERY_NAME] }]

const HAS_LABEL = 'exists (select 1 from json_each(labels) where key = ? and value = ?)'

/** What the index of names cannot tell. */
const marks = ({ disabled, owner, labels }: AgentFilters): readonly Condition[] => [
  ...(disabled === null ? [] : [{ sql: `disabled_at is ${disabled ? 'not null' : 'null'}`, values: [] }]),
  ...(owner === null ? [] : [{ sql: 'owner = ?', values: [owner] }]),
  ...labels.map(({ key, value }) => ({ sql: HAS_LABEL, values: [key, value] })),
]

const both = (conditions: readonly Condition[]): Condition => ({
  sql: ['deleted_at is null', ...conditions.map(one => one.sql)].join(' and '),
  values: conditions.flatMap(one => one.values),
})

/** The agent whose id is searched for, if it passes the other filters. */
const readExact = (sql: Statements, id: string, filters: AgentFilters): readonly AgentRow[] => {
  const where = both([{ sql: 'id = ?', values: [id] }, ...opensWith(filters.namePrefix), ...marks(filters)])
  return sql<AgentRow>(`select ${AGENT_COLUMNS} from agent where ${where.sql}`).all(...where.values)
}

/** The name of the last agent that a page may look at; undefined where it may look at all that follow. */
const readBound = (sql: Statements, range: Condition): string | undefined => {
  const select = `select name from agent indexed by agent_name where ${range.sql} order by name limit 1 offset ?`
  return sql<{ name: string }>(select).get(...range.values, PAGE_EXAMINED_MAX - 1)?.name
}

const exactId = ({ search }: AgentFilters): string | null => {
  const id = search?.toLowerCase() ?? ''
  return isUuid(id) ? id : null
}

export const listAgents = (
  sql: Statements,
  { filters, after, limit }: KeyedRequest<AgentFilters>,
): KeyedPage<Agent> => {
  const id = exactId(filters)
  const first = id === null || after !== null ? [] : readExact(sql, id, filters)
  const follows: Condition = { sql: 'name > ?', values: [after ?? ''] }
  const range = [follows, ...opensWith(filters.namePrefix), ...opensWith(filters.search)]
  const bound = readBound(sql, both(range))
  const others = id === null ? [] : [{ sql: 'id <> ?', values: [id] }]
  const until = { sql: 'name <= ?', values: [bound ?? ABOVE_EVERY_NAME] }
  const where = both([...range, until, ...others, ...marks(filters)])
  const select = `select ${AGENT_COLUMNS} from agent indexed by agent_name where ${where.sql} order by name limit ?`
  const room = limit - first.length
  const rows = sql<AgentRow>(select).all(...where.values, room + 1)
  const shown = rows.slice(0, room)
  const next = rows.length > room ? (shown.at(-1)?.name ?? '') : (bound ?? null)
  return { records: [...first, ...shown].map(agentOf), next }
}
