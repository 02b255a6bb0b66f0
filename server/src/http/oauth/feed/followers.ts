// All who follow the feed on a thread: what is new is read once and written to each, a heartbeat goes out each second, and
// a follower that may follow no longer, or has followed for long, is ended.
import type { ServerResponse } from 'node:http'
import type { MonotonicMilliseconds } from '../../../../../api/values/time.ts'
import { isRefused, type OrRefusal } from '../../../domain/refusal.ts'
import type { Sha256 } from '../../../domain/text/text.ts'
import { type FeedCaller, findFollowing } from '../../../operations/feed/authenticate-followers.ts'
import { type FeedPorts, makeRangeReaderOfOne } from '../../../operations/feed/read-range.ts'
import type { InTime } from '../../../ports/deadline.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { Ports } from '../../../ports/ports.ts'
import { makeStayLimit, type StayLimits, type StayWords } from '../../wire/streams/stay-limit.ts'
import { type Beat, makeFeedWatch, makeHeartbeat, type News } from './changes.ts'
import { makeFlush } from './flush.ts'

/** Streams and waiting requests for changes, of a thread and of an API key. */
export const FOLLOWERS_MAX: StayLimits = { all: 16_384, ofOne: 12_288, reserved: 1024, few: 64 }

const WORDS: StayWords = {
  full: 'The feed has as many followers as this service takes: try again, or follow another replica.',
  ofOneFull: 'This API key has as many followers as one may have: try again, or use another key.',
  closing: 'The service is shutting down: follow another replica, or try again.',
  counted: 'followers',
}

/** `moved_on`: the service ends, or has kept the connection for long. */
type EndReason = 'epoch_changed' | 'not_permitted' | 'moved_on'

/** A stream, or a request for changes that waits. */
export type Follower = {
  readonly kind: 'stream' | 'changes'
  readonly keyHash: Sha256
  /** When it has stayed long enough. */
  readonly endsAt: MonotonicMilliseconds
  /** Writes what there is, before it returns. */
  readonly serve: (news: News, beat: Beat | undefined) => void
  readonly end: (reason: EndReason) => void
}

/** A caller whose API key was recognized. `until`: the time by which it is answered, or is a follower. */
export type Recognized = FeedCaller & { readonly until: MonotonicMilliseconds }

export type Followers = {
  /** Calls `make` where the caller may stay, with what takes its follower out before the response closes. */
  readonly enter: (
    caller: FeedCaller,
    response: ServerResponse,
    make: (leave: () => void) => Follower,
  ) => OrRefusal<Follower>
  /** Ends all, and refuses any more. */
  readonly close: () => void
}

type FollowersOptions = {
  readonly ports: FeedPorts & Pick<Ports, 'apiKeys' | 'monotonic' | 'timing'>
  readonly inTime: InTime
  readonly metrics: Metrics
  readonly limits: StayLimits
  /** Whether the process has connections to spare. */
  readonly mayStay: (isOneOfFew: boolean) => boolean
  /** Receives each fault. Must not throw. */
  readonly onFault: (fault: unknown) => void
}

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

/** Returns a function that looks at the key of each follower, once where many have one, and never twice at a time. */
const makeKeyCheck = ({ ports, inTime, onFault }: FollowersOptions, followers: ReadonlySet<Follower>): (() => void) => {
  let isChecking = false

  const check = async (): Promise<void> => {
    // A follower that joins during this check is left out: its key was checked a moment ago.
    const asked = [...followers]
    const permitted = await inTime(findFollowing(ports, [...new Set(asked.map(({ keyHash }) => keyHash))]))
    for (const follower of asked) if (!permitted.has(follower.keyHash)) follower.end('not_permitted')
  }

  return () => {
    if (isChecking || followers.size === 0) return
    isChecking = true
    void check()
      .catch(onFault)
      .finally(() => {
        isChecking = false
      })
  }
}

/** Looks at the feed, and writes to all who follow, while anybody does. */
const makeFollowing = (options: FollowersOptions) => {
  const { ports, inTime, metrics, onFault } = options
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
    // A reader of its own, so that new changes do not wait for ranges that other callers ask for.
    ranges: makeRangeReaderOfOne(ports),
    inTime,
    isFollowed: () => followers.size > 0,
    onChanges: () => flush(),
    onStartOver: () => crowd.endAll('epoch_changed'),
    onFault,
  })
  const heartbeat = makeHeartbeat(watch.confirmed, metrics)
  const checkKeys = makeKeyCheck(options, followers)
  const serve = (follower: Follower): void => {
    try {
      follower.serve(watch.news, heartbeat.latest())
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
  const { limits, mayStay } = options
  const limit = makeStayLimit({ limits, words: WORDS, mayStay })
  const following = makeFollowing(options)
  return {
    enter: ({ caller }, response, make) => {
      const permit = limit.enter(caller.id)
      if (isRefused(permit)) return permit
      response.once('close', permit.release)
      const leave = (): void => following.remove(follower)
      const follower = make(leave)
      response.once('close', leave)
      following.add(follower)
      return follower
    },
    close: () => {
      limit.close()
      following.endAll('moved_on')
    },
  }
}
