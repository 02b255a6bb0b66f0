// What was issued, refused, introspected and ended over time, point by point.
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'
import { SERIES_WINDOWS, type SeriesWindow } from '../../../../api/values/usage.ts'
import type { Reason } from '../../../../api/values/reason.ts'
import type { Count } from './credential.ts'

/** `agentId` is null for all agents together. */
export type SeriesRequest = { readonly over: SeriesWindow; readonly agentId: string | null }

export type SeriesPoint = {
  readonly from: Milliseconds
  readonly issued: number
  readonly refused: number
  readonly active: number
  readonly inactive: number
  readonly ended: readonly (Count & { readonly reason: Reason })[]
}

/** Oldest first, without gaps; the last point is not over yet. */
export type UsageSeries = {
  readonly at: Milliseconds
  readonly over: SeriesWindow
  readonly points: readonly SeriesPoint[]
}

/** When each point of a series begins that is read `now`: all whole ones of its window, and the one that runs. */
export const seriesSlots = (over: SeriesWindow, now: Milliseconds): readonly Milliseconds[] => {
  const { pointSeconds, seconds } = SERIES_WINDOWS[over]
  const [slotMs, count] = [1000 * pointSeconds, seconds / pointSeconds]
  const newest = slotMs * Math.floor(now / slotMs)
  return Array.from({ length: count + 1 }, (_, n) => newest - slotMs * (count - n))
}

/** The JSON of a series, over HTTP and on the command line. */
export const seriesRecord = ({ at, over, points }: UsageSeries) => ({
  at: formatTime(at),
  point_seconds: SERIES_WINDOWS[over].pointSeconds,
  data: points.map(({ from, issued, refused, active, inactive, ended }) => ({
    from: formatTime(from),
    issued,
    refused,
    active,
    inactive,
    ended: ended.map(({ reason, count, isExact }) => ({ reason, count, exact: isExact })),
  })),
})
