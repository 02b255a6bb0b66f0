// Says of tokens that were looked up what they are, and whether they are dead.
import { atPlaces } from '../../../domain/one-by-one.ts'
import type { TokenAddress } from '../../../domain/ledger/claims.ts'
import { isDead, type LookedUpToken } from '../../../domain/ledger/ledger.ts'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import type { FoundToken } from '../../../ports/ports.ts'
import { LATE, type Lease } from '../../lease.ts'
import { isPlain, knownNames, type NameCaches, readNames, recordWith, type RowNames } from '../../ledger/name-caches.ts'
import type { Sets } from '../../ledger/interned-sets.ts'
import type { StoredAncestor } from '../../ledger/lineages.ts'
import { NO_ANCESTORS, tokenOf, type TokenNumbers } from '../../ledger/token-rows.ts'
import { recall } from '../../name-cache.ts'
import type { Program } from '../../statement-program.ts'
import { type BatchedLookup, endedSeqsOf, type LookedUp, numbersOf, type TokenColumns } from './batched-lookup.ts'
import type { Session } from '../connection/session.ts'

/** A row that was looked up, and what it names. */
type Row = {
  readonly address: TokenAddress
  readonly columns: TokenColumns
  readonly numbers: TokenNumbers
  readonly names: RowNames
  readonly issuer: number | null
  readonly ancestors: readonly StoredAncestor[]
}

const judged = (
  { address, columns, numbers, names, issuer, ancestors }: Row,
  { moment, cutOffs }: LookedUp,
): LookedUpToken => {
  const { scope, audience } = names
  const token = tokenOf(address, numbers, { scope: scope.items, audience, issuer, ancestors })
  const ended = { service: moment.service.endedSeq, ...endedSeqsOf(columns) }
  return { token, ended, openCutOffs: cutOffs, now: moment.now }
}

type FoundRows = { readonly rows: readonly (Row | undefined)[]; readonly lookedUp: LookedUp }

const foundToken = (row: Row, own: LookedUp, above: FoundRows): FoundToken => {
  const [digest] = row.columns
  // Its ancestors are looked up after it: those that live then lived before, when the token had its row.
  const ancestors = above.rows.map(one => (one === undefined ? undefined : judged(one, above.lookedUp)))
  return {
    ...recordWith(row.address, row.names),
    dead: isDead(judged(row, own), ancestors),
    digest: digest.replaceAll('-', ''),
    publicJwk: row.names.publicJwk,
    seq: row.numbers.seq,
  }
}

/** The tokens in the order of their addresses; LATE if the lease of the clock does not cover the time of the response. */
type Found = readonly (FoundToken | undefined)[] | typeof LATE

type Addresses = readonly (TokenAddress | undefined)[]

type FindParts = {
  readonly lookup: BatchedLookup
  readonly lease: Lease
  readonly nameCaches: NameCaches
  readonly sets: Pick<Sets, 'scope' | 'audience' | 'lineage' | 'issuer'>
}

/**
 * Finds tokens in order; undefined where there is no row, because the token was never written or has been moved. The time
 * does not show which it was: an address that is undefined is read as that of the token that was found last, and what finds nothing does the
 * rest with that token, and forgets it.
 */
export const makeFindTokens = ({ pool, runner }: Session, { lookup, lease, nameCaches, sets }: FindParts) => {
  let decoy: Row | undefined

  // What numbers stand for never changes: another snapshot reads the same.
  const learn = <T>(program: Program<T>, until: MonotonicMilliseconds): Promise<T> =>
    pool.use(connection => runner.runProgram(connection, program), until)

  const rowOf = async (address: TokenAddress, columns: TokenColumns, until: MonotonicMilliseconds): Promise<Row> => {
    const numbers = numbersOf(columns)
    const { lineage, principal } = numbers
    const names = knownNames(numbers, nameCaches, sets) ?? (await learn(readNames(numbers, nameCaches, sets), until))
    const ancestors = lineage === null ? NO_ANCESTORS : await learn(recall(sets.lineage, lineage), until)
    const issuer = principal === null ? null : await learn(recall(sets.issuer, principal), until)
    return { address, columns, numbers, names, issuer, ancestors }
  }

  const findRows = async (addresses: Addresses, until: MonotonicMilliseconds): Promise<FoundRows> => {
    const elsewhere = decoy?.address
    const places = addresses.map(address => address ?? elsewhere)
    const lookedUp = await lookup(
      places.filter(address => address !== undefined),
      until,
    )
    const found = atPlaces(places, address => address !== undefined, lookedUp.rows)
    const rows: (Row | undefined)[] = []
    for (const [n, address] of addresses.entries()) {
      const columns = found[n] ?? null
      rows.push(columns === null || address === undefined ? undefined : await rowOf(address, columns, until))
    }
    // One with a parent would cost a read for each of its ancestors, and a principal may be removed.
    decoy = rows.findLast(row => row !== undefined && isPlain(row.numbers)) ?? decoy
    return { rows, lookedUp }
  }

  return async (addresses: Addresses, until: MonotonicMilliseconds): Promise<Found> => {
    const own = await findRows(addresses, until)
    const ancestors = own.rows.flatMap(row => row?.ancestors ?? [])
    const above = ancestors.length === 0 ? { ...own, rows: [] } : await findRows(ancestors, until)
    const { moment } = above.lookedUp
    if (!lease.covers(moment.now, moment.service.clockLease)) return LATE
    let next = 0
    return own.rows.map(row => {
      if (row === undefined) {
        if (decoy !== undefined) foundToken(decoy, own.lookedUp, { ...above, rows: [] })
        return undefined
      }
      const from = next
      next += row.ancestors.length
      return foundToken(row, own.lookedUp, { rows: above.rows.slice(from, next), lookedUp: above.lookedUp })
    })
  }
}
