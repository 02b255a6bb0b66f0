// Reads the state of the whole service: what all agents got, and what the store reports of itself.
import { scheduler } from 'node:timers/promises'
import { sumInWindow, USAGE_WINDOWS, type UsageWindow } from '../../domain/clients/agent-usage.ts'
import type { ServiceStatus } from '../../domain/service-status.ts'
import type { CountLive } from '../metrics/count-live.ts'
import { readFacts } from '../metrics/facts.ts'
import type { Reader, Snapshot } from '../snapshot.ts'
import { only, type Program } from '../statement-program.ts'

const SUMS = `select
    cast(coalesce(sum(case when slot > ? then issued else 0 end), 0) as bigint) as whole,
    cast(coalesce(sum(case when slot > ? then 0 else issued end), 0) as bigint) as cut,
    cast(coalesce(sum(case when slot > ? then refused else 0 end), 0) as bigint) as "wholeRefused",
    cast(coalesce(sum(case when slot > ? then 0 else refused end), 0) as bigint) as "cutRefused"
  from agent_usage where slot_ms = ? and slot > ? and slot <= ?`

type SumRow = Readonly<Record<'whole' | 'cut' | 'wholeRefused' | 'cutRefused', number>>

const AGENTS = `select count(*) as agents, count(disabled_at) as "agentsDisabled" from agent where deleted_at is null`

// A limit of an agent is no failed authentication.
const FAILED = `select cast(coalesce(sum(count), 0) as bigint) as failed from refused where at > ? and way <> 'limit'`

function* sumOf({ now }: Snapshot, window: UsageWindow): Program<{ issued: number; refused: number }> {
  const from = now - window.windowMs
  const sums = yield* only<SumRow>(SUMS, from, from, from, from, window.slotMs, from - window.slotMs, now)
  return {
    issued: sumInWindow(window, now, sums),
    refused: sumInWindow(window, now, { whole: sums.wholeRefused, cut: sums.cutRefused }),
  }
}

function* readSums(snapshot: Snapshot) {
  const { minute, hour, day } = USAGE_WINDOWS
  const lastHour = yield* sumOf(snapshot, hour)
  const counts = yield* only<Pick<ServiceStatus, 'agents' | 'agentsDisabled'>>(AGENTS)
  const { failed } = yield* only<{ failed: number }>(FAILED, snapshot.now - hour.windowMs)
  return {
    ...counts,
    tokensLastMinute: (yield* sumOf(snapshot, minute)).issued,
    tokensLastHour: lastHour.issued,
    tokensLastDay: (yield* sumOf(snapshot, day)).issued,
    refusals: lastHour.refused,
    failedAuthentications: failed,
  }
}

export const readStatus = async ({ read }: Reader, countLive: CountLive): Promise<ServiceStatus> => {
  // First: what is counted as of a moment stands in a status of then or later.
  const liveTokens = await countLive()
  const facts = await read(readFacts)
  await scheduler.yield()
  const sums = await read(readSums)
  return { ...facts, ...sums, liveTokens }
}
