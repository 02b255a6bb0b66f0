// What the parts of a follower share: the facts that it holds, and how far and how stale they are.
import { RequestFailure } from '../wire/http.ts'
import type { Instant, Runtime } from '../wire/runtime.ts'
import type { Fetch } from '../wire/http.ts'
import type { Changes, Head } from './document.ts'
import type { Applied, FactBounds, Facts } from './facts.ts'
import type { FeedRequests, Place } from './requests.ts'
import type { Staleness } from './staleness.ts'

export type Transport = 'stream' | 'long poll' | 'none'

export type Feed = {
  readonly requests: FeedRequests
  readonly staleness: Staleness
  readonly fetch: Fetch
  readonly runtime: Runtime
  readonly apiKey: string
  readonly maxStalenessMs: number
  readonly bounds: FactBounds | undefined
  /** Receives each problem. */
  readonly report: (problem: string) => void
  /** Called when a signing key was cut off: an attacker who has it can write any `seq` into a token. */
  readonly distrustKeys: () => void
  /** Called when epoch or position are others than before, or the position was confirmed. */
  readonly changed: () => void
  /** Ends everything. */
  readonly signal: AbortSignal
  /** Undefined until a snapshot is applied as a whole. */
  facts: Facts | undefined
  /** Ends what follows these facts. */
  following: AbortController
  transport: Transport
  /** Answers that brought something: after one the next failure is the first again. */
  progress: number
}

export const placeOf = (facts: Facts): Place => ({ epoch: facts.epoch, position: facts.position() })

/** Starts over: nothing is known any more, and nothing confirmed. */
export const forgetFacts = (feed: Feed): void => {
  feed.facts = undefined
  feed.staleness.reset()
  feed.following.abort()
  feed.changed()
}

export const holdFacts = (feed: Feed, facts: Facts): void => {
  feed.facts = facts
  if (facts.keyCutOffs() > 0) feed.distrustKeys()
  feed.staleness.reach(placeOf(facts))
  feed.progress += 1
  feed.changed()
}

/** Applies a document to these facts, unless others have replaced them. Throws where they must be read anew. */
export const takeChanges = (feed: Feed, facts: Facts, changes: Changes): Applied => {
  if (feed.facts !== facts) return 'foreign'
  const keyCutOffs = facts.keyCutOffs()
  const applied = facts.apply(changes)
  if (facts.keyCutOffs() > keyCutOffs) feed.distrustKeys()
  if (applied === 'foreign') throw new RequestFailure('A document is of another epoch.')
  if (applied === 'full') throw new RequestFailure('The feed holds more facts than there is room for.')
  if (applied !== 'applied') return applied
  feed.progress += 1
  feed.staleness.reach(placeOf(facts))
  feed.changed()
  return applied
}

/** Whether the answer says that there is nothing after its position: then it confirms that position, as a head does. */
const isEmpty = ({ from, to }: Changes): boolean => from === to

/** The answer to a request for changes, sent at this instant. */
export const takeAnswer = (feed: Feed, facts: Facts, changes: Changes, sentAt: Instant): Applied => {
  const applied = takeChanges(feed, facts, changes)
  if (feed.facts === facts && isEmpty(changes)) {
    const { epoch, to: position } = changes
    feed.staleness.note({ epoch, position }, feed.staleness.dateOf(changes, sentAt), placeOf(facts))
    feed.staleness.learn(changes)
    feed.progress += 1
    feed.changed()
  }
  return applied
}

/**
 * A head, or a heartbeat, which has no request of its own. Returns whether changes are to be fetched: the facts are behind
 * it, or it is of another epoch, and the answer will say whether to start over.
 */
export const takeHead = (feed: Feed, head: Head, sentAt: Instant | undefined): boolean => {
  const { facts } = feed
  const isForeign = facts !== undefined && facts.epoch !== head.epoch
  if (sentAt !== undefined) {
    const madeAt = feed.staleness.dateOf(head, sentAt)
    if (!isForeign) feed.staleness.noteTime(head, madeAt)
    feed.staleness.note(head, madeAt, facts && placeOf(facts))
  }
  if (isForeign) return true
  feed.staleness.learn(head)
  facts?.passTime(head.now)
  feed.changed()
  return facts !== undefined && head.position > facts.position()
}
