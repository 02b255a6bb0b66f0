// The lists of live and of ended tokens: what is asked for, and what is shown.
import { withLabels, type Query } from '../reading/page.ts'
import { readPage } from '../reading/read-page.ts'
import { administration } from '../reading/service.ts'
import { HISTORY_COLUMNS, TOKEN_COLUMNS } from './token-columns.tsx'

const idOf = ({ id }: { readonly id: string }): string => id

export const LIVE_TOKENS = {
  name: 'tokens',
  label: 'Live tokens, newest first',
  columns: TOKEN_COLUMNS,
  idOf,
  count: (query: Query, signal: AbortSignal) => administration.countTokens({ query: withLabels(query), signal }),
  read: (query: Query) =>
    readPage((cursor, signal) => administration.listTokens({ query: { ...withLabels(query), cursor }, signal })),
} as const

export const ENDED_TOKENS = {
  name: 'history',
  label: 'Ended tokens, latest end first',
  columns: HISTORY_COLUMNS,
  idOf,
  count: (query: Query, signal: AbortSignal) => administration.countHistory({ query: withLabels(query), signal }),
  read: (query: Query) =>
    readPage((cursor, signal) => administration.listHistory({ query: { ...withLabels(query), cursor }, signal })),
} as const
