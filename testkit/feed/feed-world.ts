// A service whose revocation feed is in memory, so that a test can make it grow, hang, fail and start over.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Metrics, NO_METRICS } from '../../server/src/ports/metrics.ts'
import type { RevocationFeed } from '../../server/src/ports/revocation-feed.ts'
import type { Timing } from '../../server/src/ports/timing.ts'
import { startServer, type TestServer, type TestServerOptions } from '../services/test-server.ts'
import { START } from '../stores/store.ts'
import { type FeedStream, type Head, nextOf, payloadOf, tailsIn } from './feed-client.ts'
import { type FeedInMemory, makeFeedInMemory, someTail } from './feed-in-memory.ts'

/** A heartbeat each 25 ms. */
export const FAST: Partial<Timing> = { feedHeartbeatMs: 25 }

/** What never comes fails a test. */
export const WAITING = { timeout: 60_000 }

/** The expiry, in seconds since 1970, of tokens that live for the whole test. */
export const LATER = 4_000_000_000

export type FeedWorld = {
  readonly service: TestServer
  readonly feed: FeedInMemory
  readonly key: string
  readonly keyId: string
  /** Ends a token; its tail in hex. */
  readonly end: () => string
  readonly head: () => Promise<Head>
  /** Closes the service, once. */
  readonly close: () => Promise<void>
}

type Given = {
  readonly server?: TestServerOptions['server']
  /** {@link FAST} unless it is given. */
  readonly timing?: TestServerOptions['timing']
  readonly around?: (feed: FeedInMemory) => RevocationFeed
  readonly pageFactsMax?: number
}

/** A service with a feed in memory. */
export const startWorld = async (
  t: TestContext,
  { server, timing = FAST, around = feed => feed, pageFactsMax }: Given = {},
): Promise<FeedWorld> => {
  let now = (): number => START
  const own = makeFeedInMemory(() => now(), pageFactsMax)
  const service = await startServer({
    ...(server !== undefined && { server }),
    timing,
    break: ports => ({ ...ports, feed: around(own) }),
  })
  now = service.clock.wall
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= service.close()
    return closing
  }
  t.after(close)
  const { id: keyId, key } = await service.createApiKey('tokens:introspect')
  const end = (): string => {
    const tail = someTail()
    own.end(LATER, tail)
    return Buffer.from(tail).toString('hex')
  }
  return { service, feed: own, key, keyId, end, head: () => own.head(), close }
}

/** Reads changes until it is enough: each begins where the one before it ended, or earlier. Returns the tails. */
const readWhile = async (
  stream: FeedStream,
  from: number,
  isEnough: (position: number, tails: number) => boolean,
): Promise<readonly string[]> => {
  const tails: string[] = []
  for (let position = from; !isEnough(position, tails.length); ) {
    const payload = payloadOf(await nextOf(stream, 'changes'))
    assert.ok(payload.from <= position && payload.to > position, `${payload.from} to ${payload.to} at ${position}`)
    tails.push(...tailsIn(payload))
    position = payload.to
  }
  return tails
}

export const readUpTo = (stream: FeedStream, from: number, to: number): Promise<readonly string[]> =>
  readWhile(stream, from, position => position >= to)

/** Reads until there are so many tails: ends of one moment may be of one position. */
export const readTails = (stream: FeedStream, from: number, count: number): Promise<readonly string[]> =>
  readWhile(stream, from, (_, tails) => tails >= count)

/** Counts what is measured. */
export const makeCounts = () => {
  const gauges = new Map<string, number>()
  const counters = new Map<string, number>()
  const waiting = new Set<() => void>()
  const wakeAll = (): void => {
    for (const one of waiting) one()
  }
  const metrics: Metrics = {
    ...NO_METRICS,
    add: (name, labels, by = 1) => {
      const key = [name, ...Object.values(labels)].join(' ')
      counters.set(key, (counters.get(key) ?? 0) + by)
      wakeAll()
    },
    set: (name, labels, value) => {
      gauges.set([name, ...Object.values(labels)].join(' '), value)
      wakeAll()
    },
  }
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      await promise
      waiting.delete(resolve)
    }
  }
  const followers = (kind: 'stream' | 'changes'): number | undefined => gauges.get(`mintmark_feed_followers ${kind}`)
  return { metrics, counters, followers, until }
}
