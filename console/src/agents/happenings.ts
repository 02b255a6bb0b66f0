// What happened to an agent, gathered by the minutes or hours of a series.
import type {
  AuditRecord,
  ListRefusalsRecord,
  ListRefusedRequestsAnswer,
  ShowUsageSeriesAnswer,
} from '../../../packages/client/src/index.ts'

type Point = ShowUsageSeriesAnswer['data'][number]
type RefusedRequest = ListRefusedRequestsAnswer['data'][number]

export type Happenings = {
  /** Oldest first, without gaps. */
  readonly points: readonly Point[]
  readonly acts: readonly AuditRecord[]
  /** Attempts to authenticate as it, by minute. */
  readonly attempts: readonly ListRefusalsRecord[]
  /** Why requests were refused, each with the time of the last one. */
  readonly refused: readonly RefusedRequest[]
}

export type Slot = {
  readonly point: Point
  /** When it ends; null for the last, which is not over yet. */
  readonly until: string | null
} & Omit<Happenings, 'points'>

const hasCounts = ({ issued, refused, active, inactive, ended }: Point): boolean =>
  issued + refused + active + inactive + ended.length > 0

const isEmpty = ({ point, acts, attempts, refused }: Slot): boolean =>
  !hasCounts(point) && acts.length + attempts.length + refused.length === 0

const countOf = (attempts: Slot['attempts'], way: ListRefusalsRecord['way']): number =>
  attempts.reduce((sum, one) => sum + (one.way === way ? one.count : 0), 0)

/** Takes newest first. An attempt beyond a limit of the agent, or while it is disabled, is among the refused requests, too. */
const withoutAttempts = (slots: readonly Slot[], refused: readonly RefusedRequest[]): readonly Slot[] => {
  let whileDisabled = refused.find(({ reason }) => reason === 'invalid_client')?.count ?? 0
  return slots.map(slot => {
    const { point, attempts } = slot
    const others = Math.max(0, point.refused - countOf(attempts, 'limit'))
    const again = Math.min(others, countOf(attempts, 'client'), whileDisabled)
    whileDisabled -= again
    const reasons = slot.refused.filter(({ reason }) => again === 0 || reason !== 'invalid_client')
    return { ...slot, point: { ...point, refused: others - again }, refused: reasons }
  })
}

/** Newest first, without those in which nothing happened. What is older than the first of them is left out. */
export const slotsOf = ({ points, acts, attempts, refused }: Happenings): readonly Slot[] => {
  const slots = points.map((point, n): Slot => {
    const until = points[n + 1]?.from ?? null
    const [from, end] = [Date.parse(point.from), until === null ? Number.POSITIVE_INFINITY : Date.parse(until)]
    const isIn = (at: string): boolean => Date.parse(at) >= from && Date.parse(at) < end
    return {
      point,
      until,
      acts: acts.filter(({ at }) => isIn(at)),
      attempts: attempts.filter(({ minute }) => isIn(minute)),
      refused: refused.filter(({ last_at: at }) => isIn(at)),
    }
  })
  return withoutAttempts(slots.toReversed(), refused).filter(slot => !isEmpty(slot))
}
