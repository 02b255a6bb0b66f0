// Key ranges of `token`, newest first: what both lists read it through. Each range is one index, walked backwards.
import type { TokenFilters } from '../../domain/page.ts'
import { ABOVE_EVERY_ID, issuedAtOf, lowestIdAt } from '../../domain/token-id.ts'
import type { LedgerToken } from '../../domain/ledger.ts'
import type { Snapshot } from '../sqlite/reader.ts'
import type { Stream } from './merge.ts'
import { bytesOfId } from '../sqlite/rows.ts'
import { ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from '../ledger/token-rows.ts'
import { lifetimesOf } from '../ledger/walk.ts'

export type StreamRow = {
  readonly at: number
  readonly id: string
  readonly row: TokenRow
  readonly token: LedgerToken
}

/** How rows are reached: all of them, an agent's, or those of each scope set that holds an item. */
export type Access =
  | { readonly by: 'life' }
  | { readonly by: 'agent'; readonly n: number }
  | { readonly by: 'scope'; readonly n: number }

/** Above so many scope sets with an item, or streams of them, walking by lifetime is cheaper than merging them. */
const MERGED_SCOPE_SETS_MAX = 32
const MERGED_STREAMS_MAX = 128

// Null: any agent. Undefined: no agent has this id, this client id, or both.
const agentNumber = ({ sql }: Snapshot, { agentId, clientId }: TokenFilters): number | null | undefined => {
  if (agentId === null && clientId === null) return null
  const [column, value] = agentId === null ? ['client_id', clientId] : ['id', agentId]
  const row = sql<{ n: number; clientId: string }>(
    `select n, client_id as clientId from agent where ${column} = ?`,
  ).get(value)
  return row === undefined || (clientId !== null && row.clientId !== clientId) ? undefined : row.n
}

/** The ways to reach the rows that the filters may match; none where no such agent or scope is known. */
export const accessFor = (snapshot: Snapshot, filters: TokenFilters): readonly Access[] => {
  const agent = agentNumber(snapshot, filters)
  if (agent === undefined) return []
  if (agent !== null) return [{ by: 'agent', n: agent }]
  if (filters.scope === null) return [{ by: 'life' }]
  const select = 'select n from scope_set_item where item = ? order by n limit ?'
  const streamsEach = Math.max(lifetimesOf(snapshot.sql).length, 1)
  const mergedMax = Math.min(MERGED_SCOPE_SETS_MAX, Math.floor(MERGED_STREAMS_MAX / streamsEach))
  const sets = snapshot.sql<{ n: number }>(select).all(filters.scope, mergedMax + 1)
  return sets.length > mergedMax ? [{ by: 'life' }] : sets.map(({ n }) => ({ by: 'scope', n }))
}

const RANGE = 'id >= ? and id < ? order by id desc limit ?'
// Left to itself SQLite takes the primary key for all three: an agent's page would read every row of the lifetime.
const SELECT = {
  life: `select ${TOKEN_COLUMNS} from token where life = ? and ${RANGE}`,
  agent: `select ${TOKEN_COLUMNS} from token indexed by token_agent where agent = ? and life = ? and ${RANGE}`,
  scope: `select ${TOKEN_COLUMNS} from token indexed by token_scope where scope = ? and life = ? and ${RANGE}`,
} as const

/** The statements above, for the test that reads their plans. */
export const TOKEN_RANGE_STATEMENTS: readonly string[] = Object.values(SELECT)

export type TokenRange = {
  readonly access: Access
  readonly life: number
  /** Ids from `low` on, below `below`. */
  readonly low: string
  readonly below: string
  readonly ceiling: number
  readonly at: (token: LedgerToken) => number
}

export const tokenStream = ({ sql, sets }: Snapshot, range: TokenRange): Stream<StreamRow> => ({
  ceiling: range.ceiling,
  fetch: (after, limit) => {
    const below = after === null ? range.below : after.id
    const bounds = [range.life, bytesOfId(range.low), bytesOfId(below), limit]
    const { access } = range
    const keys = access.by === 'life' ? bounds : [access.n, ...bounds]
    return sql<TokenRow>(SELECT[access.by])
      .all(...keys)
      .map(row => {
        const token = ledgerTokenOf(row, sets)
        return { at: range.at(token), id: token.id, row, token }
      })
  },
})

/** The later of two bounds, and the earlier. */
export const higher = (a: string, b: string): string => (a > b ? a : b)
export const lower = (a: string, b: string): string => (a < b ? a : b)

/** The ids that the filters on the time of issue allow. */
export const issuedBounds = ({ issuedAfter, issuedBefore }: TokenFilters): { low: string; below: string } => ({
  low: lowestIdAt(issuedAfter ?? 0),
  below: issuedBefore === null ? ABOVE_EVERY_ID : lowestIdAt(issuedBefore),
})

type Shown = { readonly id: string; readonly scope: readonly string[]; readonly audience: readonly string[] }

/** Whether a row passes what no key range asks: scope item, time of issue, and the caller's audiences. */
export const passes = (filters: TokenFilters, audiences: readonly string[] | null, token: Shown): boolean =>
  (filters.scope === null || token.scope.includes(filters.scope)) &&
  (filters.issuedAfter === null || issuedAtOf(token.id) >= filters.issuedAfter) &&
  (filters.issuedBefore === null || issuedAtOf(token.id) < filters.issuedBefore) &&
  (audiences === null || token.audience.some(audience => audiences.includes(audience)))
