// What a measurement of honest callers comes to, and the goals that it is judged by.
import { percent } from '../strangers/judge.ts'
import { KINDS, type Kind, type Measured, perKind } from './honest.ts'
import type { Timed } from './pace.ts'

export type Figures = {
  readonly asked: number
  readonly success: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly late: number
  readonly unavailable: number
  readonly wrong: number
  readonly firstUnavailableMs: number | null
  readonly firstFailure: string | null
}

export type Phase = { readonly kinds: Readonly<Record<Kind, Figures>>; readonly lagMs: number }

/** The value below which this share of the values lies; NaN of none. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export const figuresOf = ({ latencies, outcomes, late, firstUnavailableMs, firstFailure }: Timed): Figures => {
  const asked = outcomes.success + outcomes.unavailable + outcomes.lost + outcomes.wrong
  return {
    asked,
    success: outcomes.success / asked,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    max: quantile(latencies, 1),
    late,
    unavailable: outcomes.unavailable,
    wrong: outcomes.wrong,
    firstUnavailableMs,
    firstFailure,
  }
}

export const phaseOf = ({ kinds, lagMs }: Measured): Phase => ({
  kinds: perKind(kind => figuresOf(kinds[kind])),
  lagMs,
})

export type Cell = {
  readonly calm: Phase
  readonly during: Phase
  readonly after: Phase
  readonly bare: Phase
}

const SUCCESS_MIN = 0.999
const CALM_TIMES = 3
const BARE_TIMES = 1.5

/** The longest p99 that is wanted beside a flood, in ms. */
export const limitOf = ({ calm, bare }: Cell, kind: Kind): number =>
  Math.max(CALM_TIMES * calm.kinds[kind].p99, BARE_TIMES * bare.kinds[kind].p99)

/** The goals that this kind of caller misses; a goal missed is no broken promise. */
export const missedOf = (cell: Cell, kind: Kind): readonly string[] => {
  const { success, p99 } = cell.during.kinds[kind]
  const limit = limitOf(cell, kind)
  const after = cell.after.kinds[kind].success
  return [
    ...(success >= SUCCESS_MIN ? [] : [`${percent(success)} succeed`]),
    ...(p99 <= limit ? [] : [`p99 ${Math.round(p99)} ms, wanted ${Math.round(limit)}`]),
    ...(after >= SUCCESS_MIN ? [] : [`${percent(after)} succeed after it`]),
  ]
}

/** What no flood may bring about, in any of the three phases. */
export const brokenOf = (cell: Cell): readonly string[] =>
  (['calm', 'during', 'after'] as const).flatMap(name =>
    KINDS.flatMap(kind => {
      const { late, wrong, firstFailure } = cell[name].kinds[kind]
      return [
        ...(late === 0 ? [] : [`${late} of ${kind} had no answer within 5 s (${name})`]),
        ...(wrong === 0 ? [] : [`${wrong} of ${kind} answered wrongly (${name}); the first failure: ${firstFailure}`]),
      ]
    }),
  )
