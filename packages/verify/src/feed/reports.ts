// Reports to the service how far a verifier is, so that operators see who holds a revocation (docs/apis/feed-protocol.md, "Reporting").
// Nothing of what the verifier accepts depends on it.
import { describeFault, request, retryAfterMsOf } from '../wire/http.ts'
import { pause } from '../wire/pause.ts'
import { type Feed, placeOf } from './feed.ts'

/** A verifier that has nothing new to say is heard of so often. */
const REPORT_MS_MAX = 10_000
/**
 * A report waits so long, spread by chance: what all followers apply at one moment they would else all report at one moment,
 * while the service still writes the change to others. What comes meanwhile goes with it.
 */
const REPORT_AFTER_MS_LEAST = 10
const REPORT_AFTER_MS_MOST = 30
const REPORT_TIMEOUT_MS = 5000
const ANSWER_BYTES_MAX = 4096
/** Agents whose uses are reported; those that come later are not counted. */
export const REPORTED_AGENTS_MAX = 100

export type Reports = {
  /** The verifier's place may have changed. */
  readonly note: () => void
  /** A token of this agent was verified. */
  readonly count: (agentId: string) => void
  /** Reports until the feed's signal ends. */
  readonly start: () => void
}

const makeCounts = () => {
  const counts = new Map<string, number>()
  return {
    add: (agentId: string): void => {
      const count = counts.get(agentId)
      if (count !== undefined || counts.size < REPORTED_AGENTS_MAX) counts.set(agentId, (count ?? 0) + 1)
    },
    list: () => [...counts].map(([agent_id, count]) => ({ agent_id, count })),
  }
}

const ASLEEP = (): void => undefined

/** One request at a time, each with the position of the verifier at that moment; what fails is repeated with the next. */
export const makeReports = (feed: Feed, url: string, name: string): Reports => {
  const counts = makeCounts()
  let reported = ''
  let wake = ASLEEP

  const placeText = (): string => (feed.facts === undefined ? '' : JSON.stringify(placeOf(feed.facts)))

  const report = async (): Promise<void> => {
    const { facts, apiKey, fetch, runtime, signal } = feed
    if (facts === undefined) return
    const place = placeOf(facts)
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
    const body = JSON.stringify({ name, ...place, uses: counts.list() })
    const limits = { timeoutMs: REPORT_TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX, signal }
    await request({ fetch, runtime }, { url, method: 'POST', headers, body, success: 204, ...limits })
    reported = JSON.stringify(place)
  }

  /** Waits until there is another position to report, or a report is due anyway. */
  const untilDue = (): Promise<void> =>
    new Promise(resolve => {
      const end = (): void => {
        cancel()
        feed.signal.removeEventListener('abort', end)
        wake = ASLEEP
        resolve()
      }
      const cancel = feed.runtime.after(REPORT_MS_MAX, end)
      feed.signal.addEventListener('abort', end)
      wake = end
    })

  /**
   * Reports the position. Returns whether to wait until the next report is due: a position that was applied meanwhile is reported at
   * once, unless the service does not take reports. A verifier that starts over has no position to report.
   */
  const reportOnce = async (): Promise<boolean> => {
    const tried = placeText()
    try {
      await report()
      return feed.facts === undefined || placeText() === reported
    } catch (fault) {
      if (!feed.signal.aborted) feed.report(`The position could not be reported: ${describeFault(fault)}`)
      const retryAfterMs = retryAfterMsOf(fault)
      await pause(feed.runtime, retryAfterMs, feed.signal)
      return retryAfterMs === 0 || placeText() === tried
    }
  }

  const run = async (): Promise<void> => {
    const { runtime, signal } = feed
    const spreadMs = REPORT_AFTER_MS_MOST - REPORT_AFTER_MS_LEAST
    while (!signal.aborted) {
      if (await reportOnce()) await untilDue()
      await pause(runtime, REPORT_AFTER_MS_LEAST + runtime.random() * spreadMs, signal)
    }
  }

  return {
    note: () => {
      if (placeText() !== reported) wake()
    },
    count: counts.add,
    start: () => void run(),
  }
}
