// The port of usage: counts handed over in the background, and an answer that is read at most once a second in each thread.
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { UsageCounts } from '../../ports/usage.ts'
import type { OnFault } from '../background.ts'
import type { Writer } from '../jobs.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Reader } from '../snapshot.ts'
import { readStatus } from './read-status.ts'
import { readUsage } from './read-usage.ts'
import { makeUsageCounter } from './usage-counter.ts'

/** How long an answer is given again. With the pause between two hand-overs: what was counted is visible within 2 s. */
const FRESH_MS = 1000

type Answer<Item> = { readonly at: MonotonicMilliseconds; readonly limit: number; readonly items: readonly Item[] }

/** Reads one answer at a time, however many ask. */
export const makeBuffered = <Item>(
  read: (limit: number) => Promise<readonly Item[]>,
  now: () => MonotonicMilliseconds = monotonicMs,
): ((limit: number) => Promise<readonly Item[]>) => {
  let answer: Answer<Item> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const answerTo = async (limit: number): Promise<readonly Item[]> => {
    if (answer === undefined || now() - answer.at >= FRESH_MS || answer.limit < limit) {
      answer = undefined
      const at = now()
      answer = { at, limit, items: await read(limit) }
    }
    return answer.items.slice(0, limit)
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
  const statuses = makeBuffered(async () => [await readStatus(reader)])
  return {
    countIssued: counter.issued,
    countRefused: counter.refused,
    list: makeBuffered(limit => readUsage(reader, limit)),
    status: async () => {
      const [status] = await statuses(1)
      if (status === undefined) throw new Error('The status was not read.')
      return status
    },
    settle: counter.settle,
  }
}
