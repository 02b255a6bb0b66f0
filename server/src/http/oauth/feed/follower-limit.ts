// How many requests may stay at once, as followers of the feed do: each keeps a connection.
import { type OrRefusal, refuse, type WorkLimit } from '../../../domain/refusal.ts'
import { makeShares, type Permit } from '../../../domain/shares.ts'

/** Streams and waiting requests for changes, of a thread. */
export const FOLLOWERS_MAX = 16_384
/** The same of one API key: the others always have room. */
export const FOLLOWERS_OF_ONE_MAX = 12_288

/** Kept for API keys with few followers, however many others have. */
export const FOLLOWERS_RESERVED = 1024
/** So many followers are few. */
export const FOLLOWERS_FEW_MAX = 64

export type FollowerLimits = {
  readonly all: number
  readonly ofOne: number
  readonly reserved: number
  readonly few: number
}

export const FOLLOWER_LIMITS: FollowerLimits = {
  all: FOLLOWERS_MAX,
  ofOne: FOLLOWERS_OF_ONE_MAX,
  reserved: FOLLOWERS_RESERVED,
  few: FOLLOWERS_FEW_MAX,
}

/** What those are answered who may not stay, and the name under which they are counted. */
export type LimitWords = {
  readonly full: string
  readonly ofOneFull: string
  readonly closing: string
  readonly counted: WorkLimit
}

const FEED_WORDS: LimitWords = {
  full: 'The feed has as many followers as this service takes: try again, or follow another replica.',
  ofOneFull: 'This API key has as many followers as one may have: try again, or use another key.',
  closing: 'The service is shutting down: follow another replica, or try again.',
  counted: 'followers',
}

export type FollowerLimit = {
  /** `id` is whose share it is: an API key's, or an operator's. */
  readonly enter: (id: string) => OrRefusal<Permit>
  /** From then on everybody is refused. */
  readonly close: () => void
}

/** `mayStay`: whether the process has connections to spare for those that stay; more of them for one of few. */
export const makeFollowerLimit = (
  limits: FollowerLimits,
  mayStay: (isOneOfFew: boolean) => boolean,
  words: LimitWords = FEED_WORDS,
): FollowerLimit => {
  const shares = makeShares()
  let isClosed = false
  return {
    enter: id => {
      const own = shares.of(id)
      if (isClosed) return refuse('temporarily_unavailable', words.closing)
      if (own >= limits.ofOne) return refuse('temporarily_unavailable', words.ofOneFull, words.counted)
      const isOneOfFew = own < limits.few
      const room = isOneOfFew ? limits.all : limits.all - limits.reserved
      if (shares.all() >= room || !mayStay(isOneOfFew))
        return refuse('temporarily_unavailable', words.full, words.counted)
      return shares.take(id)
    },
    close: () => {
      isClosed = true
    },
  }
}
