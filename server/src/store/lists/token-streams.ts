// Streams of tokens, newest first: what both lists read `token` through.
import { hasResource, isForAny } from '../../../../api/values/audience.ts'
import type { Position, TokenFilters } from '../../domain/lists/page.ts'
import { issuedAtOf } from '../../domain/ledger/claims.ts'
import type { LedgerToken } from '../../domain/ledger/ledger.ts'
import { rootIdOf, subjectAgentOf } from '../../domain/ledger/lineage.ts'
import type { Judge } from '../ledger/judge.ts'
import { knownTokenOf, ledgerTokenOf, type TokenRow } from '../ledger/token-rows.ts'
import { bytesOfId } from '../rows.ts'
import { all, type Program } from '../statement-program.ts'
import type { Snapshot } from '../snapshot.ts'
import type { AskedNumbers } from './asked-numbers.ts'
import type { Met, Stream } from './merge.ts'
import { type Found, type Place, type Range, readStep } from './scan-step.ts'
import { tokenRange, wholeRange } from './token-ranges.ts'
import type { Way } from './ways.ts'

/** A row as the filters compare it. */
type Compared = Pick<
  LedgerToken,
  'id' | 'agent' | 'credential' | 'key' | 'scope' | 'audience' | 'principal' | 'ancestors'
>

/** What every stream returns of a row. */
export type Streamed = Met & {
  readonly token: Compared
  /** Whether it is not shown from here: it comes another way too, or is none of those asked for. */
  readonly isHidden: boolean
}

export type StreamRow = Streamed & { readonly row: TokenRow; readonly token: LedgerToken }

type TokenRange = {
  readonly way: Pick<Way<unknown>, 'access' | 'rootsOnly' | 'columns'>
  readonly life: number
  /** Ids from `low` on, below `below`. */
  readonly low: string
  readonly below: string
  readonly ceiling: number
  readonly at: (token: LedgerToken) => number
  /** Learns of the lineage of each row. */
  readonly judge: Judge
}

type TokenEnd = Pick<TokenRow, 'id'>

const placeOf = ({ way: { access }, life, low, below }: TokenRange, after: Position | null): Place<TokenEnd> => ({
  key: [...('n' in access ? [access.n] : []), life],
  low: [bytesOfId(low)],
  high: [bytesOfId(after?.id ?? below)],
  lowAt: ({ id }) => [id],
})

function* readWhole(range: Range, { key, low, high }: Place<TokenEnd>, limit: number): Program<Found<TokenRow>> {
  const rows = yield* all<TokenRow>(wholeRange(range), ...key, ...low, ...high, limit)
  return { rows, scanned: rows.map(() => 1), isLast: rows.length < limit }
}

export const tokenStream = ({ sets }: Snapshot, asked: TokenRange): Stream<StreamRow> => {
  const { access, rootsOnly, columns } = asked.way
  const range = tokenRange(access.by)
  return {
    ceiling: asked.ceiling,
    fetch: function* (after, limit) {
      const place = placeOf(asked, after)
      // Of what is frequent the first rows fill the page.
      const isWhole = columns === null || after === null
      const read = yield* isWhole
        ? readWhole(range, place, limit)
        : readStep<TokenRow, TokenEnd>(range, place, columns, limit)
      const found: StreamRow[] = []
      for (const [n, row] of read.rows.entries()) {
        const token = knownTokenOf(row, sets) ?? (yield* ledgerTokenOf(row, sets))
        if (row.lineage !== null) yield* asked.judge.learn(row.lineage)
        const isHidden = rootsOnly && row.lineage !== null
        found.push({ at: asked.at(token), id: token.id, scanned: read.scanned[n] ?? 1, row, token, isHidden })
      }
      return { rows: found, isLast: read.isLast }
    },
  }
}

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
  (key === null || token.key === key.number)

const passesLineage = ({ filters, numbers: { subject, principal } }: Asked, token: Compared): boolean =>
  (subject === null || subjectAgentOf(token) === subject) &&
  (principal === null || token.principal === principal) &&
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
