// In this folder: what the console shows of agents and does with them: columns, the panel, forms, credentials.
// The columns of the list of agents, and by what each is sorted.
import { formatLabels } from '../../../api/values/labels.ts'
import type { AgentRecord } from '../../../packages/client/src/index.ts'
import { formatCount, formatNumber } from '../parts/format-number.ts'
import type { SortValue } from '../lists/order.ts'
import type { Column } from '../lists/column.ts'
import { Time } from '../parts/time.tsx'
import { serviceNow } from '../reading/service-clock.ts'
import { type AgentUsage, Usage } from './agent-usage.tsx'

const labelsOf = ({ labels }: AgentRecord): string => formatLabels(labels).join(' ')

export const stateOf = ({ disabled_at: disabled, expires_at: expires }: AgentRecord): string => {
  if (disabled !== null) return 'disabled'
  return expires !== null && Date.parse(expires) <= serviceNow() ? 'expired' : 'active'
}

export const AGENT_COLUMNS: readonly Column<AgentRecord>[] = [
  { title: 'Agent', sort: 'name', show: ({ name }) => name },
  {
    title: 'Live',
    sort: '-live',
    isNumber: true,
    show: ({ agent_id: id }) => <Usage id={id} show={({ live_tokens: live }) => formatCount(live)} />,
  },
  {
    title: 'Tokens, last hour',
    drops: 3,
    sort: '-hour',
    isNumber: true,
    show: ({ agent_id: id }) => <Usage id={id} show={({ tokens_last_hour: tokens }) => formatNumber(tokens)} />,
  },
  {
    title: 'Last used',
    drops: 3,
    sort: '-used',
    show: ({ agent_id: id }) => (
      <Usage
        id={id}
        show={({ last_used_at: at }) => (at === null ? <span className="quiet">never</span> : <Time at={at} />)}
      />
    ),
  },
  {
    title: 'State',
    sort: 'state',
    show: agent => (stateOf(agent) === 'active' ? 'active' : <span className="state ended">{stateOf(agent)}</span>),
  },
  { title: 'Owner', sort: 'owner', drops: 2, show: ({ owner }) => owner },
  {
    title: 'Labels',
    sort: 'labels',
    drops: 2,
    show: agent => <span title={labelsOf(agent)}>{labelsOf(agent)}</span>,
  },
  { title: 'Scope', drops: 1, show: ({ scope }) => <span title={scope}>{scope}</span> },
  { title: 'Made', sort: '-made', drops: 2, show: ({ created_at: at }) => <Time at={at} /> },
]

type SortValues<Of> = Readonly<Record<string, (of: Of) => SortValue>>

/** By the names of the columns in orders. */
export const AGENT_VALUES: SortValues<AgentRecord> = {
  name: ({ name }) => name,
  state: stateOf,
  owner: ({ owner }) => owner,
  labels: agent => labelsOf(agent) || null,
  made: ({ created_at: at }) => at,
}

/** The same of what is read beside the agents. */
export const USAGE_VALUES: SortValues<AgentUsage> = {
  live: ({ live_tokens: { count } }) => count,
  hour: ({ tokens_last_hour: tokens }) => tokens,
  used: ({ last_used_at: at }) => at,
}
