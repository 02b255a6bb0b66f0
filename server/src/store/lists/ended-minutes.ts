// The minutes of history in which no token ended that was issued in time: a scan steps over them, whatever they hold.
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import type { Position, TokenFilters } from '../../domain/lists/page.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { lowestIdAt } from '../../domain/ledger/claims.ts'
import { bytesOfId } from '../rows.ts'
import { all, type Program } from '../statement-program.ts'
import { lower } from './token-ranges.ts'

/** No token outlives a day, so an end shows within which day the token was issued. */
export const LIFETIME_MS_MAX = 1000 * LIFETIME_SECONDS_MAX
export const MINUTE_MS = 60_000 // as in the table's trigger

const minuteOf = (at: Milliseconds): number => Math.floor(at / MINUTE_MS)

/** Below every row that ended at `at` or later. */
export const justBefore = (at: Milliseconds): Position => ({ at, id: lowestIdAt(0) })

// A minute is open if one of its tokens was issued before the instant, or not before it. A day has 1,440.
const SELECT = {
  issuedBefore: 'select minute from ended_minute where minute between ? and ? and oldest < ? order by minute desc',
  issuedAfter: 'select minute from ended_minute where minute between ? and ? and newest >= ? order by minute desc',
} as const

type Open = {
  /** The latest open minute that is not after the requested one. */
  readonly minute: number
  /** No row that ended before it is allowed. */
  readonly floor: Milliseconds
  /** Whether it is unknown on which side of the instant a token was issued that ended there. */
  readonly isMixed: boolean
}

const openMinutes = (top: Position, bound: keyof typeof SELECT, instant: Milliseconds) => {
  const first = minuteOf(instant)
  const last = minuteOf(Math.min(instant + LIFETIME_MS_MAX, top.at))
  let open: readonly { readonly minute: number }[] | undefined
  return function* (minute: number): Program<Open> {
    // Only in the day after the instant do tokens end that were issued on either side of it.
    if (minute < first || minute > last) return { minute, floor: 0, isMixed: false }
    open ??= yield* all<{ minute: number }>(SELECT[bound], first, last, bytesOfId(lowestIdAt(instant)))
    return {
      minute: open.find(one => one.minute <= minute)?.minute ?? first - 1,
      floor: bound === 'issuedBefore' ? 0 : MINUTE_MS * (open.at(-1)?.minute ?? first),
      isMixed: true,
    }
  }
}

const both = (one: Open, { minute, floor, isMixed }: Open): Open => ({
  minute,
  floor: Math.max(one.floor, floor),
  isMixed: one.isMixed || isMixed,
})

/** Within one millisecond of ends the ids go down, and with them the times of issue: above or below them none is allowed. */
const overWrongIds = ({ issuedBefore, issuedAfter }: TokenFilters, { at, id }: Position): Position => {
  if (issuedAfter !== null && id <= lowestIdAt(issuedAfter)) return justBefore(at)
  return { at, id: issuedBefore === null ? id : lower(id, lowestIdAt(issuedBefore)) }
}

/** How a scan of what has ended goes on. */
type Reach = Omit<Open, 'minute'> & { readonly below: Position }

/**
 * Moves a position of a scan that began at `top` down, out of the milliseconds and minutes that hold no further row which
 * the filters allow; undefined where no such row is left.
 */
export const reachOf = (filters: TokenFilters, top: Position): ((position: Position) => Program<Reach | undefined>) => {
  const { issuedBefore, issuedAfter } = filters
  const bounds = [
    ...(issuedBefore === null ? [] : [openMinutes(top, 'issuedBefore', issuedBefore)]),
    ...(issuedAfter === null ? [] : [openMinutes(top, 'issuedAfter', issuedAfter)]),
  ]
  const floor = issuedAfter ?? 0
  return function* (position) {
    const from = minuteOf(position.at)
    let open: Open = { minute: from, floor, isMixed: false }
    for (let asked = Number.NaN; asked !== open.minute; ) {
      asked = open.minute
      open = { ...open, isMixed: false }
      for (const openUntil of bounds) open = both(open, yield* openUntil(open.minute))
    }
    if (open.minute < minuteOf(floor)) return undefined
    const { minute, ...how } = open
    return { ...how, below: minute === from ? overWrongIds(filters, position) : justBefore((minute + 1) * MINUTE_MS) }
  }
}
