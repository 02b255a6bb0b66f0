// Reads which agents ask for tokens, and how many of theirs are live: a few rows an agent, in pieces.
import {
  type AgentActivity,
  type AgentUsage,
  compareActivity,
  sumInWindow,
  USAGE_WINDOWS,
  type UsageWindow,
} from '../../domain/clients/agent-usage.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { countLiveOfAgents } from '../ledger/count-agents.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { all, type Program } from '../statement-program.ts'

/** Agents whose live tokens are counted in one snapshot: some milliseconds. */
const TOGETHER_MAX = 20
/** Rows that an answer judges one by one while a cut-off is open. */
const JUDGED_MAX = 50_000

const SUMS = `select agent,
    cast(sum(case when slot > ? then issued else 0 end) as bigint) as whole,
    cast(sum(case when slot > ? then 0 else issued end) as bigint) as cut,
    cast(sum(case when slot > ? then refused else 0 end) as bigint) as "wholeRefused",
    cast(sum(case when slot > ? then 0 else refused end) as bigint) as "cutRefused",
    max(last_at) as "lastAt"
  from agent_usage where slot_ms = ? and slot > ? and slot <= ? group by agent`

type SumRow = {
  readonly agent: number
  readonly whole: number
  readonly cut: number
  readonly wholeRefused: number
  readonly cutRefused: number
  readonly lastAt: Milliseconds
}

type Sum = { readonly issued: number; readonly refused: number; readonly lastAt: Milliseconds }

const sumsOf = (window: UsageWindow) =>
  function* ({ now }: Snapshot): Program<ReadonlyMap<number, Sum>> {
    const { slotMs, windowMs } = window
    const from = now - windowMs
    const rows = yield* all<SumRow>(SUMS, from, from, from, from, slotMs, from - slotMs, now)
    return new Map(
      rows.map(({ agent, whole, cut, wholeRefused, cutRefused, lastAt }) => [
        agent,
        {
          issued: sumInWindow(window, now, { whole, cut }),
          refused: sumInWindow(window, now, { whole: wholeRefused, cut: cutRefused }),
          lastAt,
        },
      ]),
    )
  }

type Active = AgentActivity & { readonly agent: number }

const readActive = async ({ read }: Reader, limit: number): Promise<readonly Active[]> => {
  // One after another: other requests get their turn in between.
  const day = await read(sumsOf(USAGE_WINDOWS.day))
  const hour = await read(sumsOf(USAGE_WINDOWS.hour))
  const minute = await read(sumsOf(USAGE_WINDOWS.minute))
  return [...day]
    .map(
      ([agent, { issued, lastAt }]): Active => ({
        agent,
        tokensLastMinute: minute.get(agent)?.issued ?? 0,
        tokensLastHour: hour.get(agent)?.issued ?? 0,
        tokensLastDay: issued,
        refusals: hour.get(agent)?.refused ?? 0,
        lastIssuedAt: lastAt === 0 ? null : lastAt,
      }),
    )
    .toSorted((a, b) => compareActivity(a, b) || a.agent - b.agent)
    .slice(0, limit)
}

type NameRow = {
  readonly n: number
  readonly id: string
  readonly name: string
  readonly owner: string | null
  readonly disabledAt: Milliseconds | null
  readonly deletedAt: Milliseconds | null
}

const NAMES = 'select n, id, name, owner, disabled_at as "disabledAt", deleted_at as "deletedAt" from agent where n in'

const stateOf = ({ disabledAt, deletedAt }: NameRow): AgentUsage['state'] => {
  if (deletedAt !== null) return 'deleted'
  return disabledAt === null ? 'active' : 'disabled'
}

const nameAll = (active: readonly Active[], judgedMax: number) =>
  function* (snapshot: Snapshot): Program<{ readonly usages: readonly AgentUsage[]; readonly judged: number }> {
    const agents = active.map(({ agent }) => agent)
    const rows = yield* all<NameRow>(`${NAMES} (${agents.map(() => '?').join(', ')})`, ...agents)
    const names = new Map(rows.map(row => [row.n, row]))
    const { counts, judged } = yield* countLiveOfAgents(snapshot, agents, judgedMax)
    const usages = active.flatMap(({ agent, ...activity }): readonly AgentUsage[] => {
      const row = names.get(agent)
      if (row === undefined) return []
      const liveTokens = counts.get(agent) ?? { count: 0, isExact: true }
      return [{ ...activity, agentId: row.id, name: row.name, owner: row.owner, state: stateOf(row), liveTokens }]
    })
    return { usages, judged }
  }

/** In the order of {@link compareActivity}. */
export const readUsage = async (reader: Reader, limit: number): Promise<readonly AgentUsage[]> => {
  const active = await readActive(reader, limit)
  const usages: AgentUsage[] = []
  let left = JUDGED_MAX
  for (let from = 0; from < active.length; from += TOGETHER_MAX) {
    const read = await reader.read(nameAll(active.slice(from, from + TOGETHER_MAX), left))
    usages.push(...read.usages)
    left -= read.judged
  }
  return usages
}
