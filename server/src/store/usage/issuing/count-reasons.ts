// In this folder: what agents got and were refused: counted in memory by each thread, written by slots of time, read as series.
// Writes why requests were refused: a row for each agent and reason, length of slot, and slot of time; so many rows a slot at most.
import { REFUSAL_ROWS_A_SLOT_MAX } from '../../../../../api/values/usage.ts'
import { slotOf, USAGE_WINDOWS, type UsageWindow } from '../../../domain/clients/agent-usage.ts'
import type { RefusalReason } from '../../../domain/refusal-reasons.ts'
import { all, only, run, type Program } from '../../statement-program.ts'
import type { Transaction } from '../../transaction.ts'
import { rowsOf } from '../../rows.ts'

/** The number that no agent has: refusals of none, and of all beyond the rows of a slot. */
export const NO_AGENT = 0

export type ReasonCount = { readonly agent: number; readonly reason: RefusalReason; readonly count: number }

type Moment = Pick<Transaction, 'now'>

const WINDOWS: readonly UsageWindow[] = [USAGE_WINDOWS.hour, USAGE_WINDOWS.day]

const COUNT = 'select count(*) as count from refusal_count where slot_ms = ? and slot = ? and agent > 0'
const KEYS = 'select agent, reason from refusal_count where slot_ms = ? and slot = ? and agent > 0'

const upsertOf = (rows: number): string =>
  `insert into refusal_count (slot_ms, slot, agent, reason, count, last_at) values ${rowsOf(rows, '(?, ?, ?, ?, ?, ?)')}
    on conflict (slot_ms, slot, agent, reason) do update set
      count = refusal_count.count + excluded.count,
      last_at = case when excluded.last_at > refusal_count.last_at then excluded.last_at else refusal_count.last_at end`

const keyOf = ({ agent, reason }: Omit<ReasonCount, 'count'>): string => `${agent} ${reason}`

/** Returns those that have a row in the slot or get one, and all others as one row for each reason. */
function* fit(counts: readonly ReasonCount[], { slotMs }: UsageWindow, slot: number): Program<readonly ReasonCount[]> {
  const { count } = yield* only<{ count: number }>(COUNT, slotMs, slot)
  if (count + counts.length <= REFUSAL_ROWS_A_SLOT_MAX) return counts
  const known = new Set((yield* all<Omit<ReasonCount, 'count'>>(KEYS, slotMs, slot)).map(keyOf))
  const fitting = new Map<string, ReasonCount>()
  let room = REFUSAL_ROWS_A_SLOT_MAX - count
  for (const one of counts) {
    const isThere = one.agent === NO_AGENT || known.has(keyOf(one))
    if (!isThere) room -= 1
    const kept = isThere || room >= 0 ? one : { ...one, agent: NO_AGENT }
    fitting.set(keyOf(kept), { ...kept, count: kept.count + (fitting.get(keyOf(kept))?.count ?? 0) })
  }
  return [...fitting.values()]
}

/** Adds to the slots in which it runs: other processes add to the same rows. Each agent and reason is there once. */
export function* countReasons({ now }: Moment, counts: readonly ReasonCount[]): Program<void> {
  if (counts.length === 0) return
  for (const window of WINDOWS) {
    const slot = slotOf(window, now)
    const fitting = yield* fit(counts, window, slot)
    // In one order: two processes that write the same rows wait for each other and never deadlock.
    const rows = fitting.toSorted((a, b) => a.agent - b.agent || (a.reason < b.reason ? -1 : 1))
    const values = rows.flatMap(({ agent, reason, count }) => [window.slotMs, slot, agent, reason, count, now])
    yield* run(upsertOf(rows.length), ...values)
  }
}

/** Returns what removes slots that were kept long enough, at most so many rows of each length, and says how many. */
export const slotRemover = (table: string, rest: string, windows: readonly UsageWindow[]) => {
  const text = `delete from ${table} where slot_ms = ? and (slot, ${rest}) in
    (select slot, ${rest} from ${table} where slot_ms = ? and slot <= ? order by slot limit ?)`
  return function* ({ now }: Moment, rowsMax: number): Program<number> {
    let removed = 0
    for (const { slotMs, keptMs } of windows)
      removed += yield* run(text, slotMs, slotMs, now - keptMs - slotMs, rowsMax)
    return removed
  }
}

export const removeOldReasons = slotRemover('refusal_count', 'agent, reason', WINDOWS)

/** Deletes all of them after the clock was set back. */
export const dropAllReasons = (): Program<number> => run('delete from refusal_count')
