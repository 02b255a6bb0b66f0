// Key ranges of `token`, newest first: what both lists read it through. Each range is one index, scanned backwards.
import type { TokenFilters } from '../../domain/lists/page.ts'
import { ABOVE_EVERY_ID, issuedAtOf, lowestIdAt } from '../../domain/ledger/token-id.ts'
import type { LedgerToken } from '../../domain/ledger/ledger.ts'
import { knownTokenOf, ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from '../ledger/token-rows.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, first, type Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Met, Stream } from './merge.ts'

export type StreamRow = Met & {
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

type AgentKeys = { readonly n: number; readonly clientId: string }

// Null: any agent. Undefined: no agent has this id, this client id, or both.
function* agentNumber({ agentId, clientId }: TokenFilters): Program<number | null | undefined> {
  if (agentId === null && clientId === null) return null
  const [column, value] = agentId === null ? ['client_id', clientId] : ['id', agentId]
  const row = yield* first<AgentKeys>(`select n, client_id as "clientId" from agent where ${column} = ?`, value)
  return row === undefined || (clientId !== null && row.clientId !== clientId) ? undefined : row.n
}

const SETS_WITH = 'select n from scope_set_item where item = ? order by n limit ?'

/** The ways to reach the rows that the filters may match; none where no such agent or scope is known. */
export function* accessFor(filters: TokenFilters, lifetimes: readonly number[]): Program<readonly Access[]> {
  const agent = yield* agentNumber(filters)
  if (agent === undefined) return []
  if (agent !== null) return [{ by: 'agent', n: agent }]
  if (filters.scope === null) return [{ by: 'life' }]
  const streamsEach = Math.max(lifetimes.length, 1)
  const mergedMax = Math.min(MERGED_SCOPE_SETS_MAX, Math.floor(MERGED_STREAMS_MAX / streamsEach))
  const sets = yield* all<{ n: number }>(SETS_WITH, filters.scope, mergedMax + 1)
  return sets.length > mergedMax ? [{ by: 'life' }] : sets.map(({ n }) => ({ by: 'scope', n }))
}

const RANGE = 'id >= ? and id < ? order by id desc limit ?'
// Left to itself SQLite takes the primary key for all three: an agent's page would read every row of the lifetime.
const SELECT = {
  life: `select ${TOKEN_COLUMNS} from token where life = ? and ${RANGE}`,
  agent: `select ${TOKEN_COLUMNS} from token ${byIndex('token_agent')} where agent = ? and life = ? and ${RANGE}`,
  scope: `select ${TOKEN_COLUMNS} from token ${byIndex('token_scope')} where scope = ? and life = ? and ${RANGE}`,
} as const

/** The statements above, for the test that reads their plans. */
export const TOKEN_RANGE_STATEMENTS: readonly string[] = Object.values(SELECT)

type TokenRange = {
  readonly access: Access
  readonly life: number
  /** Ids from `low` on, below `below`. */
  readonly low: string
  readonly below: string
  readonly ceiling: number
  readonly at: (token: LedgerToken) => number
}

export const tokenStream = ({ sets }: Snapshot, range: TokenRange): Stream<StreamRow> => ({
  ceiling: range.ceiling,
  fetch: function* (after, limit) {
    const below = after === null ? range.below : after.id
    const bounds = [range.life, bytesOfId(range.low), bytesOfId(below), limit]
    const { access } = range
    const keys = access.by === 'life' ? bounds : [access.n, ...bounds]
    const found: StreamRow[] = []
    for (const row of yield* all<TokenRow>(SELECT[access.by], ...keys)) {
      const token = knownTokenOf(row, sets) ?? (yield* ledgerTokenOf(row, sets))
      found.push({ at: range.at(token), id: token.id, scanned: 1, row, token })
    }
    return { rows: found, isLast: found.length < limit }
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
