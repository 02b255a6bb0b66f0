// The revocation feed: its positions, epochs and waits, and how a request names them (docs/apis/feed-protocol.md).
import type { Milliseconds } from './time.ts'

/**
 * A position in the revocation feed: a service at it has put every fact up to it into effect, a follower at it has received them.
 * It means nothing in another epoch.
 */
export type FeedPosition = {
  /** Changes when history is rewritten; of at most 128 characters of `A-Z a-z 0-9 - . _`. */
  readonly epoch: string
  /** Changes of the epoch that ended something: a whole number from 0, which grows by one with each, in the order of acts. */
  readonly position: number
}

/** The position of the feed itself, and the time by the store's clock as of which it is there. */
export type FeedHead = FeedPosition & { readonly now: Milliseconds }

/** How long a request for changes may wait for the first of them. */
export const FEED_WAIT_SECONDS_MAX = 25

const EPOCH = /^[A-Za-z0-9._-]{1,128}$/
const WHOLE = /^(?:0|[1-9]\d{0,15})$/
const RANGE = /^(0|[1-9]\d{0,15})-([1-9]\d{0,15})$/

export const EPOCH_FORM = '1 to 128 characters of A-Z a-z 0-9 - . _'

/** The text, where it may be an epoch. */
export const parseEpoch = (text: string): string | undefined => (EPOCH.test(text) ? text : undefined)

/** A whole number from 0, without leading zeros. */
export const parsePosition = (text: string): number | undefined => {
  const value = Number(text)
  return WHOLE.test(text) && Number.isSafeInteger(value) ? value : undefined
}

/** Whole seconds from 0 to {@link FEED_WAIT_SECONDS_MAX}. */
export const parseWait = (text: string): number | undefined => {
  const seconds = parsePosition(text)
  return seconds !== undefined && seconds <= FEED_WAIT_SECONDS_MAX ? seconds : undefined
}

/** The facts after position `from`, up to `to`, which is greater. */
export type PositionRange = { readonly from: number; readonly to: number }

/** The range that the last part of the path of a segment names: `FROM-TO`. */
export const parseRange = (text: string): PositionRange | undefined => {
  const [, first = '', last = ''] = RANGE.exec(text) ?? []
  const [from, to] = [parsePosition(first), parsePosition(last)]
  return from !== undefined && to !== undefined && from < to ? { from, to } : undefined
}
