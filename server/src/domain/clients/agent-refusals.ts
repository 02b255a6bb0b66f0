// What was refused, by agent and reason: the counts of one window, and their totals by limit.
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'
import type { SeriesWindow } from '../../../../api/values/usage.ts'
import { isLimit, LIMITS } from '../refusal-reasons.ts'

/** `agentId` is null for all of them. */
export type RefusalsRequest = { readonly over: SeriesWindow; readonly agentId: string | null }

/** `agent` is null for what a limit of the service turned away, and beyond the rows of a slot. A later program knows more reasons. */
export type AgentRefusals = {
  readonly agent: { readonly id: string; readonly name: string } | null
  readonly reason: string
  readonly count: number
  /** When it was written last. */
  readonly lastAt: Milliseconds
}

type LimitTotal = Omit<AgentRefusals, 'agent'>

/** Most first, then the one that was counted last. */
export const compareRefusals = (a: LimitTotal, b: LimitTotal): number => b.count - a.count || b.lastAt - a.lastAt

/** What each limit refused, of all agents together. */
const totalLimits = (refusals: readonly AgentRefusals[]): readonly LimitTotal[] => {
  const totals = new Map<string, LimitTotal>()
  for (const { reason, count, lastAt } of refusals) {
    if (!isLimit(reason)) continue
    const before = totals.get(reason) ?? { reason, count: 0, lastAt: 0 }
    totals.set(reason, { reason, count: before.count + count, lastAt: Math.max(before.lastAt, lastAt) })
  }
  return [...totals.values()].toSorted(compareRefusals)
}

/** The status of an answer with this code, where the program knows it. */
type StatusOf = (code: string) => number | null

/** The JSON of refusals, over HTTP and on the command line; at most `limit` rows of agents. */
export const refusalsRecord = (
  { refusals, limit }: { readonly refusals: readonly AgentRefusals[]; readonly limit: number },
  statusOf: StatusOf,
) => {
  const reasonRecord = ({ reason, count, lastAt }: LimitTotal) => ({
    reason,
    status: isLimit(reason) ? LIMITS[reason].status : statusOf(reason),
    settings: isLimit(reason) ? [...LIMITS[reason].settings] : [],
    count,
    last_at: formatTime(lastAt),
  })
  return {
    data: refusals.slice(0, limit).map(({ agent, ...counted }) => ({
      agent_id: agent?.id ?? null,
      name: agent?.name ?? null,
      ...reasonRecord(counted),
    })),
    limits: totalLimits(refusals).map(reasonRecord),
  }
}
