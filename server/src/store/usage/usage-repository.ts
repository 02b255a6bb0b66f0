// The port of usage: counts handed over in the background, and an answer that is read at most once a second in each thread.
import type { AgentUsage } from '../../domain/clients/agent-usage.ts'
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { UsageCounts } from '../../ports/usage.ts'
import type { OnFault } from '../background.ts'
import type { Writer } from '../jobs.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Reader } from '../snapshot.ts'
import { readUsage } from './read-usage.ts'
import { makeUsageCounter } from './usage-counter.ts'

/** How long an answer is given again. With the pause between two hand-overs: what was counted is visible within 2 s. */
const FRESH_MS = 1000

type Answer = { readonly at: MonotonicMilliseconds; readonly limit: number; readonly usages: readonly AgentUsage[] }

/** Reads one answer at a time, however many ask. */
export const makeBufferedUsage = (
  read: (limit: number) => Promise<readonly AgentUsage[]>,
  now: () => MonotonicMilliseconds = monotonicMs,
): UsageCounts['list'] => {
  let answer: Answer | undefined
  let last: Promise<unknown> = Promise.resolve()

  const answerTo = async (limit: number): Promise<readonly AgentUsage[]> => {
    if (answer === undefined || now() - answer.at >= FRESH_MS || answer.limit < limit) {
      answer = undefined
      const at = now()
      answer = { at, limit, usages: await read(limit) }
    }
    return answer.usages.slice(0, limit)
  }

  return limit => {
    const asked = last.then(() => answerTo(limit))
    last = asked.catch(() => undefined)
    return asked
  }
}

type UsageConnection = UsageCounts & {
  /** Hands over what it has counted and not handed over yet. Never rejects. */
  readonly settle: () => Promise<void>
}

export const makeUsageCounts = (reader: Reader, writer: Writer, onFault: OnFault): UsageConnection => {
  const counter = makeUsageCounter({ handOver: counts => writer.call('countUsage', counts), onFault })
  return {
    countIssued: counter.issued,
    countRefused: counter.refused,
    list: makeBufferedUsage(limit => readUsage(reader, limit)),
    settle: counter.settle,
  }
}
