// The columns of lists of tokens.
import type { EndedTokenRecord, TokenRecord } from '../../../packages/client/src/index.ts'
import { NamedAgent, ShortId } from '../parts/agent-name.tsx'
import type { Column } from '../lists/column.ts'
import { Time } from '../parts/time.tsx'
import { ActorName } from './actor-name.tsx'
import { formatReason } from './describe-end.ts'

const token: Column<TokenRecord> = { title: 'Token', show: ({ id }) => <ShortId id={id} /> }
const agent: Column<TokenRecord> = {
  title: 'Agent',
  show: ({ agent_id: id, agent_name: name }) => <NamedAgent id={id} name={name} />,
}

const what: readonly Column<TokenRecord>[] = [
  { title: 'Scope', drops: 3, show: ({ scope }) => <span title={scope}>{scope}</span> },
  {
    title: 'Audience',
    drops: 2,
    show: ({ audience }) => <span title={audience.join('\n')}>{audience.join(' ')}</span>,
  },
  { title: 'Issued', show: ({ issued_at: at }) => <Time at={at} /> },
]

export const TOKEN_COLUMNS: readonly Column<TokenRecord>[] = [
  token,
  agent,
  ...what,
  { title: 'Expires', drops: 3, show: ({ expires_at: at }) => <Time at={at} /> },
]

/** Beside how it ended they come first to be left out. */
const left = (columns: readonly Column<TokenRecord>[]): readonly Column<TokenRecord>[] =>
  columns.map(column => ({ ...column, drops: 2 }))

/** How a token ended stands where it is in sight beside an open panel, and on a narrow screen. */
export const HISTORY_COLUMNS: readonly Column<EndedTokenRecord>[] = [
  { ...token, drops: 3 },
  agent,
  { title: 'Reason', show: ({ termination_reason: reason }) => formatReason(reason) },
  { title: 'Ended', show: ({ ended_at: at }) => <Time at={at} /> },
  { title: 'By', drops: 3, show: ({ ended_by: actor }) => <ActorName actor={actor} /> },
  ...left(what),
]
