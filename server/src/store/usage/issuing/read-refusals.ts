// Reads what was refused in the last hour or day, by agent and reason: one statement, of a bounded number of rows.
import { sumInWindow, USAGE_WINDOWS } from '../../../domain/clients/agent-usage.ts'
import { type AgentRefusals, compareRefusals, type RefusalsRequest } from '../../../domain/clients/agent-refusals.ts'
import type { Milliseconds } from '../../../../../api/values/time.ts'
import type { Reader, Snapshot } from '../../snapshot.ts'
import { all } from '../../statement-program.ts'

type Row = {
  readonly agentId: string | null
  readonly name: string | null
  readonly reason: string
  readonly whole: number
  readonly cut: number
  readonly lastAt: Milliseconds
}

const sumsWhere = (condition: string): string =>
  `select agent.id as "agentId", agent.name, sums.* from (
    select agent as n, reason, cast(sum(case when slot > ? then count else 0 end) as bigint) as whole,
      cast(sum(case when slot > ? then 0 else count end) as bigint) as cut, max(last_at) as "lastAt"
    from refusal_count where slot_ms = ? and slot > ? and slot <= ? ${condition} group by agent, reason
  ) as sums left join agent on agent.n = sums.n`

const SUMS = sumsWhere('')
const SUMS_OF = sumsWhere('and agent in (select n from agent where id = ?)')

const WINDOWS = { '1h': USAGE_WINDOWS.hour, '24h': USAGE_WINDOWS.day } as const

/** All of the window, most first. */
export const readRefusals = ({ read }: Reader, { over, agentId }: RefusalsRequest): Promise<readonly AgentRefusals[]> =>
  read(function* ({ now }: Snapshot) {
    const window = WINDOWS[over]
    const from = now - window.windowMs
    const given = [from, from, window.slotMs, from - window.slotMs, now]
    const rows = yield* agentId === null ? all<Row>(SUMS, ...given) : all<Row>(SUMS_OF, ...given, agentId)
    return rows
      .map(({ agentId: id, name, reason, lastAt, ...parts }) => ({
        agent: id === null || name === null ? null : { id, name },
        reason,
        count: sumInWindow(window, now, parts),
        lastAt,
      }))
      .toSorted(compareRefusals)
  })
