// Key ranges of `token`, newest first: what both lists read it through. Each range is one index, scanned backwards.
import { hasResource, isForAny } from '../../../../api/values/audience.ts'
import type { TokenFilters } from '../../domain/lists/page.ts'
import { ABOVE_EVERY_ID, issuedAtOf, lowestIdAt } from '../../domain/ledger/token-id.ts'
import type { LedgerToken } from '../../domain/ledger/ledger.ts'
import { earliestBelow, rootIdOf, subjectOf } from '../../domain/ledger/lineage.ts'
import type { Sets } from '../ledger/interned-sets.ts'
import type { Judge } from '../ledger/judge.ts'
import { lineageBelow } from '../ledger/lineages.ts'
import { recall } from '../name-cache.ts'
import { knownTokenOf, ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from '../ledger/token-rows.ts'
import { bytesOfId } from '../rows.ts'
import { all, byIndex, type Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import { ANY_NUMBERS, type AskedNumbers, readAskedNumbers } from './asked-numbers.ts'
import type { Met, Stream } from './merge.ts'

/** A row as the filters compare it. */
type Compared = Pick<LedgerToken, 'id' | 'agent' | 'credential' | 'key' | 'scope' | 'audience' | 'ancestors'>

/** What every stream returns of a row. */
export type Streamed = Met & {
  readonly token: Compared
  /** Whether it is not shown from here: it comes another way too, or is none of those asked for. */
  readonly isHidden: boolean
}

export type StreamRow = Streamed & { readonly row: TokenRow; readonly token: LedgerToken }

/** How rows are reached: all, those with a parent, those that share a parent, or by an agent, a scope set or a subject. */
export type Access =
  | { readonly by: 'life' | 'delegated' }
  | { readonly by: 'agent' | 'scope' | 'lineage' | 'subject'; readonly n: number }

/** Above so many scope sets with an item, or streams of them, scanning by lifetime is cheaper than merging them. */
const MERGED_SCOPE_SETS_MAX = 32
const MERGED_STREAMS_MAX = 128
/** The same of selected agents, which are reached so in fewer steps than the tokens of others are scanned. */
const MERGED_AGENT_STREAMS_MAX = 256

const SETS_WITH = 'select n from scope_set_item where item = ? order by n limit ?'

/** One of the ways to the rows that the filters may match. */
export type Way<F> = {
  readonly access: Access
  /** Those of the request, narrowed to what this way is for. */
  readonly filters: F
  /** Rows with a parent come another way. */
  readonly rootsOnly: boolean
}

/** How to reach what a request asks for; no way where no such agent, scope or token is known. */
export type Ways<F> = {
  readonly ways: readonly Way<F>[]
  readonly numbers: AskedNumbers
}

/** The agent of the root of a lineage; undefined where the token has no children, or is no root. */
function* subjectOfRoot({ lineage }: Sets, rootId: string): Program<number | undefined> {
  const below = yield* lineageBelow(rootId)
  const [root, ...above] = below === undefined ? [] : yield* recall(lineage, below)
  return above.length === 0 ? root?.agent : undefined
}

const oneMillisecond = <F extends TokenFilters>(filters: F, id: string): F => ({
  ...filters,
  issuedAfter: Math.max(filters.issuedAfter ?? 0, issuedAtOf(id)),
  issuedBefore: Math.min(filters.issuedBefore ?? Number.MAX_SAFE_INTEGER, issuedAtOf(id) + 1),
})

/** The root itself, and all that acts for its subject and was issued since. */
function* waysToLineage<F extends TokenFilters>(sets: Sets, filters: F, rootId: string): Program<readonly Way<F>[]> {
  const root: Way<F> = { access: { by: 'life' }, filters: oneMillisecond(filters, rootId), rootsOnly: true }
  const subject = yield* subjectOfRoot(sets, rootId)
  if (subject === undefined) return [root]
  const since = { ...filters, issuedAfter: Math.max(filters.issuedAfter ?? 0, earliestBelow(rootId)) }
  return [root, { access: { by: 'subject', n: subject }, filters: since, rootsOnly: false }]
}

/** How many streams a way by a scope set or by an agent takes: each at least 1. */
type StreamsEach = { readonly ofScope: number; readonly ofAgent: number }

function* waysOf<F extends TokenFilters>(
  sets: Sets,
  filters: F,
  streams: StreamsEach,
  { holder, holders, subject }: AskedNumbers,
): Program<readonly Way<F>[]> {
  const by = (access: Access): Way<F> => ({ access, filters, rootsOnly: false })
  if (filters.parentId !== null) {
    const n = yield* lineageBelow(filters.parentId)
    return n === undefined ? [] : [by({ by: 'lineage', n })]
  }
  if (filters.rootId !== null) return yield* waysToLineage(sets, filters, filters.rootId)
  if (holder !== null) return [by({ by: 'agent', n: holder })]
  if (subject !== null) {
    return [{ ...by({ by: 'agent', n: subject }), rootsOnly: true }, by({ by: 'subject', n: subject })]
  }
  if (holders !== null && holders.size * streams.ofAgent <= MERGED_AGENT_STREAMS_MAX) {
    return [...holders].map(n => by({ by: 'agent', n }))
  }
  if (filters.scope === null) return [by({ by: 'life' })]
  const mergedMax = Math.min(MERGED_SCOPE_SETS_MAX, Math.floor(MERGED_STREAMS_MAX / streams.ofScope))
  const scopes = yield* all<{ n: number }>(SETS_WITH, filters.scope, mergedMax + 1)
  return scopes.length > mergedMax ? [by({ by: 'life' })] : scopes.map(({ n }) => by({ by: 'scope', n }))
}

/** The ways to reach the rows that the filters may match. */
export function* waysFor<F extends TokenFilters>(sets: Sets, filters: F, streams: StreamsEach): Program<Ways<F>> {
  const numbers = yield* readAskedNumbers(filters)
  if (numbers === undefined) return { ways: [], numbers: ANY_NUMBERS }
  return { ways: yield* waysOf(sets, filters, streams, numbers), numbers }
}

const RANGE = 'id >= ? and id < ? order by id desc limit ?'
// Left to itself SQLite takes the primary key for all three: an agent's page would read every row of the lifetime.
const SELECT = {
  life: `select ${TOKEN_COLUMNS} from token where life = ? and ${RANGE}`,
  delegated: `select ${TOKEN_COLUMNS} from token ${byIndex('token_delegated')}
    where lineage is not null and life = ? and ${RANGE}`,
  agent: `select ${TOKEN_COLUMNS} from token ${byIndex('token_agent')} where agent = ? and life = ? and ${RANGE}`,
  scope: `select ${TOKEN_COLUMNS} from token ${byIndex('token_scope')} where scope = ? and life = ? and ${RANGE}`,
  lineage: `select ${TOKEN_COLUMNS} from token ${byIndex('token_lineage')} where lineage = ? and life = ? and ${RANGE}`,
  subject: `select ${TOKEN_COLUMNS} from token ${byIndex('token_subject')}
    where lineage is not null and subject = ? and life = ? and ${RANGE}`,
} as const

/** The statements above, for the test that reads their plans. */
export const TOKEN_RANGE_STATEMENTS: readonly string[] = Object.values(SELECT)

type TokenRange = {
  readonly way: Pick<Way<unknown>, 'access' | 'rootsOnly'>
  readonly life: number
  /** Ids from `low` on, below `below`. */
  readonly low: string
  readonly below: string
  readonly ceiling: number
  readonly at: (token: LedgerToken) => number
  /** Learns of the lineage of each row. */
  readonly judge: Judge
}

export const tokenStream = ({ sets }: Snapshot, range: TokenRange): Stream<StreamRow> => ({
  ceiling: range.ceiling,
  fetch: function* (after, limit) {
    const below = after === null ? range.below : after.id
    const bounds = [range.life, bytesOfId(range.low), bytesOfId(below), limit]
    const { access, rootsOnly } = range.way
    const keys = 'n' in access ? [access.n, ...bounds] : bounds
    const found: StreamRow[] = []
    for (const row of yield* all<TokenRow>(SELECT[access.by], ...keys)) {
      const token = knownTokenOf(row, sets) ?? (yield* ledgerTokenOf(row, sets))
      if (row.lineage !== null) yield* range.judge.learn(row.lineage)
      const isHidden = rootsOnly && row.lineage !== null
      found.push({ at: range.at(token), id: token.id, scanned: 1, row, token, isHidden })
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

type Asked = {
  readonly filters: TokenFilters
  readonly numbers: AskedNumbers
  /** Those that the caller is limited to; null: none. */
  readonly audiences: readonly string[] | null
}

const passesNumbers = ({ holder, holders, credential, key }: AskedNumbers, token: Compared): boolean =>
  (holder === null || token.agent === holder) &&
  (holders === null || holders.has(token.agent)) &&
  (credential === null || token.credential === credential) &&
  (key === null || token.key === key)

const passesLineage = ({ filters, numbers: { subject } }: Asked, token: Compared): boolean =>
  (subject === null || subjectOf(token) === subject) &&
  (filters.parentId === null || token.ancestors[0]?.id === filters.parentId) &&
  (filters.rootId === null || rootIdOf(token) === filters.rootId)

/** Whether a row passes what no key range asks. */
export const passes = (asked: Asked, { token, isHidden }: Streamed): boolean => {
  const { filters, numbers, audiences } = asked
  return (
    !isHidden &&
    (filters.scope === null || token.scope.includes(filters.scope)) &&
    (filters.issuedAfter === null || issuedAtOf(token.id) >= filters.issuedAfter) &&
    (filters.issuedBefore === null || issuedAtOf(token.id) < filters.issuedBefore) &&
    (filters.audience === null || hasResource(token.audience, filters.audience)) &&
    isForAny(audiences, token.audience) &&
    passesNumbers(numbers, token) &&
    passesLineage(asked, token)
  )
}
