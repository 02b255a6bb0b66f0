// Asks for the head again and again: only an answer to a request that was sent lately confirms a position. Where it
// is ahead of what is known here, the rest is fetched.
import { describeFault, retryAfterMsOf } from '../wire/http.ts'
import { backoffMs, pause } from '../wire/pause.ts'
import { instantOf } from '../wire/runtime.ts'
import type { Head } from './document.ts'
import { type Feed, forgetFacts, placeOf, takeAnswer, takeHead } from './feed.ts'
import { type Place, StartOver } from './requests.ts'

/** The interval between requests, as a share of the allowed staleness. */
const INTERVAL_SHARE = 1 / 3
/** The most requests for the head that have no response yet. */
const UNDER_WAY_MAX = 3
/** What the head reports may be under way on the stream. */
const CATCH_UP_MS = 100
const CATCH_UP_ROUNDS_MAX = 1000

const reportFault = (feed: Feed, what: string, fault: unknown): void => {
  if (!feed.signal.aborted) feed.report(`${what}: ${describeFault(fault)}`)
}

const fetchMissing = async (feed: Feed): Promise<void> => {
  for (let round = 0; round < CATCH_UP_ROUNDS_MAX; round += 1) {
    const { facts } = feed
    if (facts === undefined || feed.signal.aborted) return
    const sentAt = instantOf(feed.runtime)
    const changes = await feed.requests.changes(placeOf(facts), 0, feed.signal)
    if (takeAnswer(feed, facts, changes, sentAt) !== 'applied') return
  }
}

/** Fetches what is missing, once at a time. */
export const makeCatchUp = (feed: Feed): (() => Promise<void>) => {
  let underWay: Promise<void> | undefined
  const catchUp = async (): Promise<void> => {
    try {
      await fetchMissing(feed)
    } catch (fault) {
      if (fault instanceof StartOver) forgetFacts(feed)
      reportFault(feed, 'Changes could not be fetched', fault)
      // A caller that asks during this pause joins this run, so that no request is sent before the time that the service stated.
      await pause(feed.runtime, retryAfterMsOf(fault), feed.signal)
    } finally {
      underWay = undefined
    }
  }
  return () => (underWay ??= catchUp())
}

/** Positions never fall in an epoch: history was rewritten, or this is not the answer to the request. */
const isBehind = (held: Place | undefined, head: Head): boolean =>
  held?.epoch === head.epoch && head.position < held.position

const catchUpSoon = async (feed: Feed, head: Head, catchUp: () => Promise<void>): Promise<void> => {
  await pause(feed.runtime, CATCH_UP_MS, feed.signal)
  const { facts } = feed
  if (facts !== undefined && (facts.epoch !== head.epoch || facts.position() < head.position)) await catchUp()
}

export const runHeads = async (feed: Feed, catchUp: () => Promise<void>): Promise<void> => {
  let failures = 0
  let retryAfterMs = 0
  let underWay = 0

  const ask = async (): Promise<void> => {
    underWay += 1
    const sentAt = instantOf(feed.runtime)
    const held = feed.facts && placeOf(feed.facts)
    try {
      const head = await feed.requests.head(feed.signal)
      failures = 0
      // The answer to a request for changes says whether to start over.
      if (isBehind(held, head)) void catchUp()
      else if (takeHead(feed, head, sentAt)) void catchUpSoon(feed, head, catchUp)
    } catch (fault) {
      failures += 1
      retryAfterMs = retryAfterMsOf(fault)
      reportFault(feed, 'The head of the feed could not be had', fault)
    } finally {
      underWay -= 1
    }
  }

  while (!feed.signal.aborted) {
    if (underWay < UNDER_WAY_MAX) void ask()
    const intervalMs = feed.maxStalenessMs * INTERVAL_SHARE * (0.8 + feed.runtime.random() / 5)
    await pause(feed.runtime, intervalMs, feed.signal)
    if (failures > 0) await pause(feed.runtime, backoffMs(feed.runtime, failures, retryAfterMs), feed.signal)
  }
}
