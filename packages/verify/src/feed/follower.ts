// Follows the revocation feed in the background: the snapshot, then the stream; long polls where a proxy keeps the stream.
import { describeFault, retryAfterMsOf } from '../wire/http.ts'
import { backoffMs, pause } from '../wire/pause.ts'
import { elapsedMs, type Instant, instantOf } from '../wire/runtime.ts'
import type { Facts } from './facts.ts'
import { type Feed, forgetFacts, holdFacts, placeOf, takeAnswer, takeChanges, takeHead } from './feed.ts'
import { makeCatchUp, runHeads } from './heads.ts'
import { loadSnapshot } from './load-snapshot.ts'
import { StartOver } from './requests.ts'
import { QuietStream, readStream } from './stream.ts'

/** `wait` of a long poll. */
const WAIT_SECONDS = 20
/** A service that does not wait is asked once a second. */
const EMPTY_ANSWER_MS_MIN = 1000
/** How long long polls first replace a stream that was buffered; twice as long each time after. */
const LONG_POLL_MS_FIRST = 60_000
const LONG_POLL_MS_MAX = 600_000

const load = async (feed: Feed): Promise<Facts> => {
  const sentAt = instantOf(feed.runtime)
  const head = await feed.requests.head(feed.signal)
  takeHead(feed, head, sentAt)
  const facts = await loadSnapshot(feed.requests, head.epoch, feed)
  holdFacts(feed, facts)
  return facts
}

const followStream = async (feed: Feed, facts: Facts, catchUp: () => Promise<void>): Promise<void> => {
  feed.transport = 'stream'
  const url = feed.requests.streamUrl(placeOf(facts))
  const { apiKey, following } = feed
  await readStream(feed, { url, apiKey, signal: following.signal }, async event => {
    if (event.kind === 'heartbeat') {
      feed.progress += 1
      // It confirms nothing: it may have been kept on its way. It can show that something is missing.
      if (takeHead(feed, event.head, undefined)) void catchUp()
      return
    }
    const changes = await feed.requests.readDocument(event.text)
    if (takeChanges(feed, facts, changes) === 'gap') void catchUp()
  })
}

const followByPolls = async (feed: Feed, facts: Facts, until: () => boolean): Promise<void> => {
  feed.transport = 'long poll'
  while (feed.facts === facts && !feed.following.signal.aborted && !until()) {
    const sentAt = instantOf(feed.runtime)
    const changes = await feed.requests.changes(placeOf(facts), WAIT_SECONDS, feed.following.signal)
    const applied = takeAnswer(feed, facts, changes, sentAt)
    const left = EMPTY_ANSWER_MS_MIN - elapsedMs(feed.runtime, sentAt)
    if (applied !== 'applied' && left > 0) await pause(feed.runtime, left, feed.signal)
  }
}

/** Whether a stream is tried, or one was kept lately. */
const makeStreamTrust = (feed: Feed) => {
  let distrustMs = LONG_POLL_MS_FIRST / 2
  let since: Instant | undefined
  return {
    isTrusted: (): boolean => since === undefined || elapsedMs(feed.runtime, since) > distrustMs,
    distrust: (): void => {
      since = instantOf(feed.runtime)
      distrustMs = Math.min(distrustMs * 2, LONG_POLL_MS_MAX)
    },
  }
}

type StreamTrust = ReturnType<typeof makeStreamTrust>

const followOnce = async (feed: Feed, trust: StreamTrust, catchUp: () => Promise<void>): Promise<void> => {
  feed.following = new AbortController()
  const facts = feed.facts ?? (await load(feed))
  if (feed.signal.aborted || feed.facts !== facts) return
  const end = (): void => feed.following.abort()
  feed.signal.addEventListener('abort', end)
  try {
    if (trust.isTrusted()) await followStream(feed, facts, catchUp)
    else await followByPolls(feed, facts, trust.isTrusted)
  } finally {
    feed.transport = 'none'
    feed.signal.removeEventListener('abort', end)
  }
}

/** Returns how long to wait at least. */
const takeFault = (feed: Feed, trust: StreamTrust, fault: unknown): number => {
  // This process ended the request itself: that is no fault to report.
  if (feed.signal.aborted || feed.following.signal.aborted) return 0
  if (fault instanceof QuietStream) trust.distrust()
  if (fault instanceof StartOver) forgetFacts(feed)
  feed.report(`The feed could not be followed: ${describeFault(fault)}`)
  return retryAfterMsOf(fault)
}

const runFollower = async (feed: Feed, catchUp: () => Promise<void>): Promise<void> => {
  const trust = makeStreamTrust(feed)
  let failures = 0
  while (!feed.signal.aborted) {
    const { progress } = feed
    let atLeastMs = 0
    try {
      await followOnce(feed, trust, catchUp)
    } catch (fault) {
      atLeastMs = takeFault(feed, trust, fault)
    }
    failures = feed.progress > progress ? 1 : failures + 1
    await pause(feed.runtime, backoffMs(feed.runtime, failures, atLeastMs), feed.signal)
  }
}

/** Both run until the feed's signal ends; what fails in them is reported, and tried again. */
export const startFollower = (feed: Feed): void => {
  const catchUp = makeCatchUp(feed)
  void runHeads(feed, catchUp)
  void runFollower(feed, catchUp)
}
