// The columns of the list of agents, and by what each is sorted.
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { formatNumber } from '../parts/format-number.ts'
import type { SortValue } from '../lists/order.ts'
import type { Column } from '../lists/column.ts'
import { Time } from '../parts/time.tsx'
import { type AgentUsage, Usage } from './agent-usage.tsx'

const formatLabels = (labels: AgentRecord['labels']): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')

const stateOf = ({ disabled_at: at }: AgentRecord): string => (at === null ? 'active' : 'disabled')

export const AGENT_COLUMNS: readonly Column<AgentRecord>[] = [
  { title: 'Agent', sort: 'name', show: ({ name }) => name },
  {
    title: 'Live',
    sort: '-live',
    isNumber: true,
    show: ({ agent_id: id }) => (
      <Usage
        id={id}
        show={({ live_tokens: { count, exact } }) => (exact ? formatNumber(count) : `${formatNumber(count)}+`)}
      />
    ),
  },
  {
    title: 'Tokens, last hour',
    sort: '-hour',
    isNumber: true,
    show: ({ agent_id: id }) => <Usage id={id} show={({ tokens_last_hour: tokens }) => formatNumber(tokens)} />,
  },
  {
    title: 'Last used',
    sort: '-used',
    show: ({ agent_id: id }) => (
      <Usage
        id={id}
        show={({ last_used_at: at }) => (at === null ? <span className="quiet">never</span> : <Time at={at} />)}
      />
    ),
  },
  { title: 'State', sort: 'state', show: stateOf },
  { title: 'Owner', sort: 'owner', drops: 2, show: ({ owner }) => owner },
  {
    title: 'Labels',
    sort: 'labels',
    drops: 2,
    show: ({ labels }) => <span title={formatLabels(labels)}>{formatLabels(labels)}</span>,
  },
  { title: 'Scope', drops: 1, show: ({ scope }) => <span title={scope}>{scope}</span> },
  { title: 'Made', sort: '-made', drops: 1, show: ({ created_at: at }) => <Time at={at} /> },
]

type Sorting = { readonly agent: AgentRecord; readonly usage: AgentUsage | null }

/** By the names of the columns in orders. */
export const SORT_VALUES: Readonly<Record<string, (sorting: Sorting) => SortValue>> = {
  name: ({ agent }) => agent.name,
  live: ({ usage }) => usage?.live_tokens.count ?? null,
  hour: ({ usage }) => usage?.tokens_last_hour ?? null,
  used: ({ usage }) => usage?.last_used_at ?? null,
  state: ({ agent }) => stateOf(agent),
  owner: ({ agent }) => agent.owner,
  labels: ({ agent }) => formatLabels(agent.labels) || null,
  made: ({ agent }) => agent.created_at,
}

export const NEEDS_USAGE: ReadonlySet<string> = new Set(['live', 'hour', 'used'])
