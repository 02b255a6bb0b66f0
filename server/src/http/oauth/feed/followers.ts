// All who follow the feed on a thread: what is new is read once and written to each, a heartbeat goes out each second, and
// a follower that may follow no longer, or has followed for long, is ended.
import type { ServerResponse } from 'node:http'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { isRefused, type OrRefusal } from '../../../domain/refusal.ts'
import type { Permit } from '../../../domain/shares.ts'
import type { FeedPorts, RangeReader } from '../../../operations/feed/read-range.ts'
import type { InTime } from '../../../ports/deadline.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { Ports } from '../../../ports/ports.ts'
import { makeKeyCheck } from './check-keys.ts'
import { makeFlush } from './flush.ts'
import type { EndReason, Entry, Follower } from './follower.ts'
import { FOLLOWER_LIMITS, type FollowerLimits, makeFollowerLimit } from './follower-limit.ts'
import { makeHeartbeat } from './heartbeat.ts'
import { makeStreamFollower } from './stream-follower.ts'
import { makeWaitingFollower, type Waited } from './waiting-follower.ts'
import { makeFeedWatch } from './watch-feed.ts'

/** A stream lasts up to a fifth longer than `feedStreamMs`. */
const SPREAD_PART = 5
const GREATEST_BYTE = 255

/** Smaller in tests. */
export type FeedBounds = {
  readonly limits?: FollowerLimits | undefined
}

type FollowersOptions = {
  readonly ports: FeedPorts & Pick<Ports, 'apiKeys' | 'monotonic' | 'randomness' | 'timing'>
  readonly ranges: RangeReader
  /** For what is new: nobody else reads by it. */
  readonly newest: RangeReader
  readonly inTime: InTime
  readonly metrics: Metrics
  /** Whether the process has connections to spare. */
  readonly mayStay: (isOneOfFew: boolean) => boolean
  /** Receives each fault. Must not throw. */
  readonly onFault: (fault: unknown) => void
} & FeedBounds

/** One whose API key was recognized, and the connection that they keep. */
export type Arrival = { readonly entry: Entry; readonly response: ServerResponse; readonly apiKeyId: string }

export type Followers = {
  /** Streams to the response, once `open` has sent its headers; not at all where it is refused. */
  readonly stream: (arrival: Arrival, open: () => void) => OrRefusal<object>
  /** Calls `settle` once, when there are changes or after `waitMs`; not at all where it is refused. */
  readonly wait: (arrival: Arrival, waitMs: number, settle: (waited: Waited) => void) => OrRefusal<object>
  /** Ends all, and refuses any more. */
  readonly close: () => void
}

const LET_IN = {}
const KINDS = ['stream', 'changes'] as const

/** Those of a thread. `onFirst` and `onLast` are called as the first comes, and once the last has gone. */
const makeCrowd = (metrics: Metrics, onFirst: () => void, onLast: () => void) => {
  const members = new Set<Follower>()
  const count = (): void => {
    const all = [...members]
    for (const kind of KINDS) {
      metrics.set('mintmark_feed_followers', { kind }, all.filter(one => one.kind === kind).length)
    }
  }
  return {
    members: members as ReadonlySet<Follower>,
    count,
    add: (follower: Follower): void => {
      members.add(follower)
      if (members.size === 1) onFirst()
    },
    remove: (follower: Follower): void => {
      if (members.delete(follower) && members.size === 0) onLast()
    },
    endAll: (reason: EndReason): void => {
      for (const follower of members) follower.end(reason)
    },
  }
}

/** Looks at the feed, and writes to all who follow, while anybody does. */
const makeFollowing = ({ ports, newest, inTime, metrics, onFault }: FollowersOptions) => {
  const { timing } = ports
  let timer: NodeJS.Timeout | undefined
  const crowd = makeCrowd(
    metrics,
    () => {
      timer = setInterval(tick, timing.feedHeartbeatMs).unref()
    },
    () => {
      clearInterval(timer)
      crowd.count()
    },
  )
  const { members: followers } = crowd
  const watch = makeFeedWatch({
    ports,
    ranges: newest,
    inTime,
    isFollowed: () => followers.size > 0,
    onChanges: () => flush(),
    onStartOver: () => crowd.endAll('epoch_changed'),
    onFault,
  })
  const heartbeat = makeHeartbeat(watch.confirmed, metrics)
  const news = { ...watch, beat: heartbeat.latest }
  const checkKeys = makeKeyCheck({ ports, inTime, followers, onFault })
  const serve = (follower: Follower): void => {
    try {
      follower.serve(news)
    } catch (fault) {
      follower.end('moved_on')
      onFault(fault)
    }
  }
  const flush = makeFlush(followers, serve, timing)
  const tick = (): void => {
    const now = ports.monotonic()
    heartbeat.tick(now)
    crowd.count()
    for (const follower of followers) if (follower.endsAt <= now) follower.end('moved_on')
    checkKeys()
    flush()
  }
  return {
    remove: crowd.remove,
    endAll: crowd.endAll,
    add: (follower: Follower): void => {
      crowd.add(follower)
      watch.start()
      flush()
    },
  }
}

/** The followers whose requests one thread holds. */
export const makeFollowers = (options: FollowersOptions): Followers => {
  const { ports, ranges, inTime, metrics } = options
  const { timing } = ports
  const limit = makeFollowerLimit(options.limits ?? FOLLOWER_LIMITS, options.mayStay)
  const onFault = (fault: unknown): void => {
    metrics.add('mintmark_feed_faults_total', {})
    options.onFault(fault)
  }
  const following = makeFollowing({ ...options, onFault })

  const add = (follower: Follower, { response }: Arrival, permit: Permit): void => {
    response.once('close', () => {
      following.remove(follower)
      permit.release()
    })
    following.add(follower)
  }

  const endOfStream = (beganAt: MonotonicMilliseconds): MonotonicMilliseconds => {
    const [spread = 0] = ports.randomness.bytes(1)
    return beganAt + timing.feedStreamMs * (1 + spread / GREATEST_BYTE / SPREAD_PART)
  }

  return {
    stream: (arrival, open) => {
      const permit = limit.enter(arrival.apiKeyId)
      if (isRefused(permit)) return permit
      open()
      const { entry, response } = arrival
      const beganAt = ports.monotonic()
      const own = { beganAt, endsAt: endOfStream(beganAt), timing, ranges, inTime, metrics, onFault }
      add(makeStreamFollower({ ...own, entry, response }), arrival, permit)
      return LET_IN
    },
    wait: (arrival, waitMs, settle) => {
      const permit = limit.enter(arrival.apiKeyId)
      if (isRefused(permit)) return permit
      const { entry, response } = arrival
      const leave = (waited: Waited): void => {
        following.remove(follower)
        settle(waited)
      }
      const follower = makeWaitingFollower({ entry, response, waitMs, settle: leave })
      add(follower, arrival, permit)
      return LET_IN
    },
    close: () => {
      limit.close()
      following.endAll('moved_on')
    },
  }
}
