// Writes what agents got and were refused: a row for each agent, length of slot, and slot of time.
import { slotOf, USAGE_WINDOWS, type UsageWindow } from '../../../domain/clients/agent-usage.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import { run, type Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { rowsOf } from '../../rows.ts'
import { countReasons, NO_AGENT, type ReasonCount, slotRemover } from './count-reasons.ts'

/** What one thread counted; `lastAt` is when the agent got its last token, 0 where it got none. */
export type UsageCount = {
  readonly agent: number
  readonly issued: number
  readonly refused: number
  readonly lastAt: Milliseconds
  readonly reasons: readonly Omit<ReasonCount, 'agent'>[]
}

const WINDOWS: readonly UsageWindow[] = Object.values(USAGE_WINDOWS)

const upsertOf = (rows: number): string =>
  `insert into agent_usage (slot_ms, slot, agent, issued, refused, last_at)
    values ${rowsOf(rows, '(?, ?, ?, ?, ?, ?)')}
    on conflict (slot_ms, slot, agent) do update set
      issued = agent_usage.issued + excluded.issued,
      refused = agent_usage.refused + excluded.refused,
      last_at = case when excluded.last_at > agent_usage.last_at then excluded.last_at else agent_usage.last_at end`

/** Adds to the slots in which it runs: other processes add to the same rows. Each agent is there once. */
export function* countUsage({ now }: Pick<Transaction, 'now'>, counts: readonly UsageCount[]): Program<void> {
  const ofAgents = counts.filter(({ agent }) => agent !== NO_AGENT)
  const rows = WINDOWS.flatMap(window =>
    ofAgents.map(({ agent, issued, refused, lastAt }) => [
      window.slotMs,
      slotOf(window, now),
      agent,
      issued,
      refused,
      lastAt,
    ]),
  )
  if (rows.length > 0) yield* run(upsertOf(rows.length), ...rows.flat())
  const reasons = counts.flatMap(({ agent, reasons: ofAgent }) => ofAgent.map(one => ({ agent, ...one })))
  yield* countReasons({ now }, reasons)
}

export const removeOldUsage = slotRemover('agent_usage', 'agent', WINDOWS)

/** Deletes all usage after the clock was set back: what was counted by another clock lies in the future. */
export const dropAllUsage = (): Program<number> => run('delete from agent_usage')
