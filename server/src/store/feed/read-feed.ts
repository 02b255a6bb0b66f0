// The port of the revocation feed: its head, and pages of whole positions in one snapshot with it.
import type { FeedHead, FeedPosition } from '../../../../api/values/feed.ts'
import type { CutOffFact } from '../../domain/ledger/cut-off-fact.ts'
import { Unavailable } from '../../domain/refusal.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import { type FeedPage, type FeedRange, PAGE_FACTS_MAX, type RevocationFeed } from '../../ports/revocation-feed.ts'
import type { Reader } from '../snapshot.ts'
import { all, given, only, type Program } from '../statement-program.ts'

export const FEED_COLUMNS = 'feed_position as position, feed_epoch as epoch'

const NOT_OPEN =
  'The revocation feed is not open yet: an earlier version of Mintmark still uses the store, or the first one that knows the feed has just started.'

/** `suffix`: what of the database makes an epoch another one. Throws Unavailable where the feed is not open yet. */
export const headOf = ({ position, epoch }: FeedPosition, suffix: string, now: Milliseconds): FeedHead => {
  if (epoch === '') throw new Unavailable(NOT_OPEN, { toCaller: NOT_OPEN })
  return { epoch: epoch + suffix, position, now }
}

export const FACT_COLUMNS = 'n, until, tails, cutoff'

export type FactRow = {
  readonly position: number
  readonly n: number
  readonly until: Seconds
  readonly tails: Uint8Array | null
  readonly cutoff: string | null
}

/** Rows that are read at a time: a row may hold thousands of tokens, or a thousand agents. */
const ROWS_AT_ONCE = 512

const FACTS = `select position, ${FACT_COLUMNS} from fact
  where (position, n) > (?, ?) and position <= ? order by position, n limit ${ROWS_AT_ONCE}`

/** A number greater than that of every row of a position. */
const LAST_OF_POSITION = Number.MAX_SAFE_INTEGER

const TAIL_BYTES = 8
/** A cut-off that names many agents counts as as many facts as need its room. */
const CUT_OFF_CHARACTERS = 200

const factsIn = ({ tails, cutoff }: FactRow): number =>
  tails === null ? Math.ceil((cutoff?.length ?? 0) / CUT_OFF_CHARACTERS) : tails.length / TAIL_BYTES

/** `areAll`: there are no more rows in the range. */
type Read = { readonly rows: readonly FactRow[]; readonly areAll: boolean }

/** Rows up to `last`, and no more than fill a page and a little. */
function* readRows(from: number, last: number): Program<Read> {
  const rows: FactRow[] = []
  let after: Pick<FactRow, 'position' | 'n'> = { position: from, n: LAST_OF_POSITION }
  for (let facts = 0; facts <= PAGE_FACTS_MAX; ) {
    const some = yield* all<FactRow>(FACTS, after.position, after.n, last)
    rows.push(...some)
    facts += some.reduce((sum, row) => sum + factsIn(row), 0)
    after = some.at(-1) ?? after
    if (some.length < ROWS_AT_ONCE) return { rows, areAll: true }
  }
  return { rows, areAll: false }
}

type Taken = { readonly rows: readonly FactRow[]; readonly to: number }

/** Takes the rows of the whole positions that fit on a page, and at least those of the first. */
const takePage = ({ rows, areAll }: Read, last: number): Taken => {
  let facts = 0
  const over = rows.findIndex((row, n) => {
    facts += factsIn(row)
    return n > 0 && facts > PAGE_FACTS_MAX && row.position !== rows[0]?.position
  })
  const cut = rows[over]
  if (cut === undefined && !areAll) throw new Error('A position of the feed holds more than a page.')
  if (cut === undefined) return { rows, to: last }
  return { rows: rows.filter(({ position }) => position < cut.position), to: cut.position - 1 }
}

const isOver = ({ until }: FactRow, now: Milliseconds): boolean => now > 1000 * until

const endedIn = (rows: readonly FactRow[]): ReadonlyMap<Seconds, Uint8Array> => {
  const pieces = new Map<Seconds, Uint8Array[]>()
  for (const { until, tails } of rows) {
    if (tails === null) continue
    const known = pieces.get(until)
    if (known === undefined) pieces.set(until, [tails])
    else known.push(tails)
  }
  return new Map([...pieces].map(([until, some]) => [until, Buffer.concat(some)]))
}

const pageOf = (head: FeedHead, from: number, { rows, to }: Taken): FeedPage => {
  const live = rows.filter(row => !isOver(row, head.now))
  return {
    epoch: head.epoch,
    from,
    to,
    head,
    ended: endedIn(live),
    // Written by appendFact from the same type.
    cutOffs: live.flatMap(({ cutoff }) => (cutoff === null ? [] : [JSON.parse(cutoff) as CutOffFact])),
    until: live.reduce((last, { until }) => Math.max(last, until), 0),
  }
}

/** Returns the last position of a range; null if its caller starts over. */
const lastOf = (head: FeedHead, { epoch, from, to }: FeedRange): number | null => {
  const last = to ?? head.position
  return (epoch ?? head.epoch) !== head.epoch || from > head.position || last > head.position ? null : last
}

/** The facts of a range. `head` is of the same snapshot. */
function* readPage(head: FeedHead, range: FeedRange): Program<FeedPage | 'epoch_changed'> {
  const last = lastOf(head, range)
  if (last === null) return 'epoch_changed'
  return pageOf(head, range.from, takePage(yield* readRows(range.from, last), last))
}

/** Returns the page where all rows of the range were read with the head. */
export const pageOfRows = (head: FeedHead, range: FeedRange, rows: readonly FactRow[]): FeedPage | 'epoch_changed' => {
  const last = lastOf(head, range)
  return last === null ? 'epoch_changed' : pageOf(head, range.from, takePage({ rows, areAll: true }, last))
}

const FEED_ROW = `select ${FEED_COLUMNS} from service`

/** The head as of a snapshot at `now`. `suffix`: a program that returns what of the database changes the epoch. */
function* readHead(now: Milliseconds, suffix: () => Program<string>): Program<FeedHead> {
  return headOf(yield* only<FeedPosition>(FEED_ROW), yield* suffix(), now)
}

/** The same for a feed that may not be open yet: its epoch is then empty, which no verifier reports. */
export function* readAnyHead(now: Milliseconds, suffix: () => Program<string>): Program<FeedHead> {
  const { position, epoch } = yield* only<FeedPosition>(FEED_ROW)
  return { epoch: epoch === '' ? '' : epoch + (yield* suffix()), position, now }
}

/** What a store does in its own way. */
export type FeedParts = {
  /** Returns what of the database changes the epoch. */
  readonly epochSuffix: () => Program<string>
  /** Reads the head; without it the head is read in a snapshot of its own. */
  readonly head?: RevocationFeed['head']
  /** Reads a page faster where it can; undefined: it is read as any other. */
  readonly fewFacts?: (range: FeedRange) => Promise<FeedPage | 'epoch_changed' | undefined>
}

/** The parts of a feed on a database without fail-over. */
export const NO_SUFFIX: FeedParts = { epochSuffix: () => given('') }

export const makeRevocationFeed = ({ read }: Reader, { epochSuffix, head, fewFacts }: FeedParts): RevocationFeed => ({
  head: head ?? (() => read(({ now }) => readHead(now, epochSuffix))),
  read: async range =>
    (await fewFacts?.(range)) ??
    read(function* ({ now }) {
      return yield* readPage(yield* readHead(now, epochSuffix), range)
    }),
})
