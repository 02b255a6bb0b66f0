// The minutes of history in which no token ended that was issued in time: a walk steps over them, whatever they hold.
import { LIFETIME_SECONDS_MAX } from '../../domain/agent.ts'
import type { Position, TokenFilters } from '../../domain/page.ts'
import type { Milliseconds } from '../../domain/time.ts'
import { lowestIdAt } from '../../domain/token-id.ts'
import { bytesOfId } from '../rows.ts'
import { all, type Script } from '../script.ts'

/** No token outlives a day, so an end tells within which day the token was issued. */
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

/** The statements above, for the test that reads their plans. */
export const OPEN_MINUTE_STATEMENTS: readonly string[] = Object.values(SELECT)

/** Of this minute and those before it the latest that is open. */
type LatestOpen = (minute: number) => Script<number>

const latestOpen = (top: Position, bound: keyof typeof SELECT, instant: Milliseconds): LatestOpen => {
  const first = minuteOf(instant)
  const last = minuteOf(Math.min(instant + LIFETIME_MS_MAX, top.at))
  let open: readonly { readonly minute: number }[] | undefined
  return function* (minute) {
    // Only in the day after the instant is it unknown on which side of it a token was issued that ended there.
    if (minute < first || minute > last) return minute
    open ??= yield* all<{ minute: number }>(SELECT[bound], first, last, bytesOfId(lowestIdAt(instant)))
    return open.find(one => one.minute <= minute)?.minute ?? first - 1
  }
}

/** Moves a position of a walk that began at `top` down, out of minutes that hold no row which the filters allow. */
export const overClosedMinutes = (
  { issuedBefore, issuedAfter }: TokenFilters,
  top: Position,
): ((position: Position) => Script<Position>) => {
  const bounds = [
    ...(issuedBefore === null ? [] : [latestOpen(top, 'issuedBefore', issuedBefore)]),
    ...(issuedAfter === null ? [] : [latestOpen(top, 'issuedAfter', issuedAfter)]),
  ]
  return function* (position) {
    const from = minuteOf(position.at)
    let [minute, asked] = [from, Number.NaN]
    while (minute !== asked) {
      asked = minute
      for (const latest of bounds) minute = yield* latest(minute)
    }
    return minute === from ? position : justBefore((minute + 1) * MINUTE_MS)
  }
}
