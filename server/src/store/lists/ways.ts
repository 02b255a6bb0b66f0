// The ways to the rows that the filters of a list may match: which indexes lead there, and which rows on the way the store leaves
// out by itself.
import { issuedAtOf } from '../../domain/ledger/claims.ts'
import { earliestBelow } from '../../domain/ledger/lineage.ts'
import type { TokenFilters } from '../../domain/lists/page.ts'
import type { Sets } from '../ledger/interned-sets.ts'
import { lineageBelow, principalOfLineage } from '../ledger/lineages.ts'
import { recall } from '../name-cache.ts'
import { all, type Program } from '../statement-program.ts'
import { ANY_NUMBERS, type AskedNumbers, readAskedNumbers } from './asked-numbers.ts'
import { askedOfColumns, readAudienceSets } from './asked-columns.ts'
import { acrossRuns, ANY_TIME, issuedRuns, type Run } from './audience-spans.ts'
import type { Condition } from './name-conditions.ts'
import { areFrequent, isRareScope, type Part } from './shares.ts'
import { type Access, higher, issuedBounds } from './token-ranges.ts'

/** Above so many scope sets with an item, or streams of them, scanning by lifetime is cheaper than merging them. */
const MERGED_SCOPE_SETS_MAX = 32
const MERGED_STREAMS_MAX = 128
/** The same of selected agents, which are reached so in fewer steps than the tokens of others are scanned. */
const MERGED_AGENT_STREAMS_MAX = 256
/** So many streams by scope sets are tried before those by agents. */
const RARE_STREAMS_MAX = 16

const SETS_WITH = 'select n from scope_set_item where item = ? order by n limit ?'

/** One of the ways to the rows that the filters may match. */
export type Way<F> = {
  readonly access: Access
  /** Those of the request, narrowed to what this way is for. */
  readonly filters: F
  /** Rows with a parent come another way. */
  readonly rootsOnly: boolean
  /** What the columns of a row must be, where no index of this way says it; null: anything. */
  readonly columns: Condition | null
}

/** How to reach what a request asks for; no way where no such agent, scope or token is known. */
export type Ways<F> = {
  readonly ways: readonly Way<F>[]
  readonly numbers: AskedNumbers
}

type Path<F> = Omit<Way<F>, 'columns'>

/** The way to all that acts for whom a root does; undefined where the token has no children, or is no root. */
function* accessBelow({ lineage }: Sets, rootId: string): Program<Access | undefined> {
  const below = yield* lineageBelow(rootId)
  if (below === undefined) return undefined
  const [root, ...above] = yield* recall(lineage, below)
  if (root === undefined || above.length > 0) return undefined
  const principal = yield* principalOfLineage(below)
  return principal === null ? { by: 'subject', n: root.agent } : { by: 'principal', n: principal }
}

const issuedWithin = <F extends TokenFilters>(filters: F, { issuedAfter, issuedBefore }: Run): F => ({
  ...filters,
  issuedAfter: filters.issuedAfter === null ? issuedAfter : Math.max(filters.issuedAfter, issuedAfter ?? 0),
  issuedBefore:
    filters.issuedBefore === null
      ? issuedBefore
      : Math.min(filters.issuedBefore, issuedBefore ?? Number.POSITIVE_INFINITY),
})

/** The root itself, and all that acts for its subject and was issued since. */
function* pathsToLineage<F extends TokenFilters>(sets: Sets, filters: F, rootId: string): Program<readonly Path<F>[]> {
  const issuedAt = issuedAtOf(rootId)
  const oneMillisecond = issuedWithin(filters, { issuedAfter: issuedAt, issuedBefore: issuedAt + 1 })
  const root: Path<F> = { access: { by: 'life' }, filters: oneMillisecond, rootsOnly: true }
  const access = yield* accessBelow(sets, rootId)
  if (access === undefined) return [root]
  const since = { ...filters, issuedAfter: Math.max(filters.issuedAfter ?? 0, earliestBelow(rootId)) }
  const below: Path<F> = { access, filters: since, rootsOnly: false }
  // Its principal leads to the root as well.
  return access.by === 'principal' ? [below] : [root, below]
}

/** What a list knows of its streams. */
type Streams = {
  /** How many streams a way by a scope set or by an agent takes: each at least 1. */
  readonly ofScope: number
  readonly ofAgent: number
  /** By lifetime the lowest id of a token that is asked for. */
  readonly lows: ReadonlyMap<number, string>
  readonly isOfHistory: boolean
}

/** The scope sets with the item; undefined where they are too many to merge. */
function* scopesWith(item: string, streams: Streams): Program<readonly number[] | undefined> {
  const mergedMax = Math.min(MERGED_SCOPE_SETS_MAX, Math.floor(MERGED_STREAMS_MAX / streams.ofScope))
  const found = yield* all<{ n: number }>(SETS_WITH, item, mergedMax + 1)
  return found.length > mergedMax ? undefined : found.map(({ n }) => n)
}

const partsOf = (filters: TokenFilters, { lows }: Streams): readonly Part[] => {
  const { low, below } = issuedBounds(filters)
  return [...lows].map(([life, lowest]) => ({ life, low: higher(low, lowest), below }))
}

/** Whether the rows by these scope sets are so few that no other index leads to what is asked for in fewer steps. */
function* areRare(scopes: readonly number[], filters: TokenFilters, streams: Streams): Program<boolean> {
  if (scopes.length * streams.ofScope > RARE_STREAMS_MAX) return false
  const parts = partsOf(filters, streams)
  for (const n of scopes) if (!(yield* isRareScope(n, parts, streams.isOfHistory))) return false
  return true
}

function* pathsOf<F extends TokenFilters>(
  sets: Sets,
  filters: F,
  streams: Streams,
  { holder, holders, subject, principal }: AskedNumbers,
): Program<readonly Path<F>[]> {
  const by = (access: Access): Path<F> => ({ access, filters, rootsOnly: false })
  if (filters.parentId !== null) {
    const n = yield* lineageBelow(filters.parentId)
    return n === undefined ? [] : [by({ by: 'lineage', n })]
  }
  if (filters.rootId !== null) return yield* pathsToLineage(sets, filters, filters.rootId)
  const scopes = filters.scope === null ? undefined : yield* scopesWith(filters.scope, streams)
  const byScope = scopes?.map(n => by({ by: 'scope', n }))
  if (byScope !== undefined && (yield* areRare(scopes ?? [], filters, streams))) return byScope
  if (principal !== null) return [by({ by: 'principal', n: principal })]
  if (holder !== null) return [by({ by: 'agent', n: holder })]
  if (subject !== null) {
    return [{ ...by({ by: 'agent', n: subject }), rootsOnly: true }, by({ by: 'subject', n: subject })]
  }
  if (holders !== null && holders.size * streams.ofAgent <= MERGED_AGENT_STREAMS_MAX) {
    return [...holders].map(n => by({ by: 'agent', n }))
  }
  return byScope ?? [by({ by: 'life' })]
}

/** Whether these are ways by agents or scope sets to so many rows that the scan of all finds some among them earlier. */
function* leadToMany<F extends TokenFilters>(
  paths: readonly Path<F>[],
  filters: F,
  streams: Streams,
): Program<boolean> {
  const accesses = paths.map(({ access }) => access)
  if (!accesses.every(({ by }) => by === 'agent' || by === 'scope')) return false
  return yield* areFrequent(accesses, partsOf(filters, streams))
}

const isIssuedEver = ({ issuedAfter, issuedBefore }: Run): boolean =>
  (issuedAfter ?? 0) < (issuedBefore ?? Number.POSITIVE_INFINITY)

/** The ways to reach the rows that the filters may match. */
export function* waysFor<F extends TokenFilters>(
  sets: Sets,
  { filters, audiences }: { readonly filters: F; readonly audiences: readonly string[] | null },
  streams: Streams,
): Program<Ways<F>> {
  const none = { ways: [], numbers: ANY_NUMBERS }
  const numbers = yield* readAskedNumbers(filters)
  if (numbers === undefined) return none
  const audienceSets = yield* readAudienceSets(filters.audience, audiences)
  if (audienceSets?.length === 0) return none
  const { key } = numbers
  const runs = audienceSets === null ? [ANY_TIME] : yield* issuedRuns(audienceSets)
  if (runs.length === 0) return none
  const signed = issuedWithin(issuedWithin(filters, key ?? ANY_TIME), acrossRuns(runs))
  const columnsOf = ({ access }: Path<F>) => askedOfColumns(access.by, filters, numbers, audienceSets)
  const found = yield* pathsOf(sets, signed, streams, numbers)
  const isSlow = found.some(path => columnsOf(path) !== null) && (yield* leadToMany(found, signed, streams))
  const paths: typeof found = isSlow ? [{ access: { by: 'life' }, filters: signed, rootsOnly: false }] : found
  const ways = paths.flatMap(path =>
    runs.map(run => ({ ...path, filters: issuedWithin(path.filters, run), columns: columnsOf(path) })),
  )
  return { numbers, ways: ways.filter(way => isIssuedEver(way.filters)) }
}
