// Fetches the key sets of others, each once for all threads of the process, and no more often than their servers can be asked.
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { KeySet, KeySetPlace, KeySets, ReadingFailure } from '../../ports/key-sets.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import type { Fetch } from './fetch-json.ts'
import { KEYS_FRESH_MILLISECONDS, KEYS_HELD_MILLISECONDS_MAX } from './provider-key-cache.ts'
import { type KeySetReading, makeKeySetReader, READING_MILLISECONDS_MAX } from './provider-key-set.ts'
import { cache } from '../cache.ts'

/**
 * In less than that no more than two readings begin while keys are held, whatever `kid` callers send: two in 30 seconds.
 * So the first reading, and one of keys that are old, may be followed by another at once, for a key that appeared since.
 */
export const TWO_READINGS_MILLISECONDS = 31_000
/** The time between further readings: a key that appears in a flood of unknown ones is known so much later, or at that limit. */
export const READINGS_APART_MILLISECONDS = 16_000
/** While no keys are held the first failures are tried again sooner: after 1, 2, 4 and 8 seconds. */
const FIRST_RETRY_MILLISECONDS = 1_000
const DOUBLINGS_MAX = 4

/** Sets that are kept of clients; of more, those that were needed last. */
export const PLACES_MAX = 1000

const NEVER_READ: KeySet = { jwks: [], readAt: -Infinity, nextReadingAt: -Infinity, failure: null }

type KeySetOptions = {
  readonly read: () => Promise<KeySetReading>
  readonly monotonicNow: () => MonotonicMilliseconds
}

/** One set: returns it as it was read last, or where the caller has seen that, as it is read now if it is time for that. */
export const makeKeySet = ({
  read,
  monotonicNow,
}: KeySetOptions): ((seenAt: MonotonicMilliseconds) => Promise<KeySet>) => {
  let set = NEVER_READ
  let failures = 0
  let countedAt = -Infinity
  let reading: Promise<void> | undefined

  /** When the next reading may begin after one that began at `at`, and `apart` from it. */
  const nextAfter = (at: MonotonicMilliseconds, apart: number): MonotonicMilliseconds => {
    const next = Math.max(countedAt + TWO_READINGS_MILLISECONDS, at + apart)
    countedAt = at
    return next
  }

  const fail = (at: MonotonicMilliseconds, failure: ReadingFailure): void => {
    const isHeld = at - set.readAt < KEYS_HELD_MILLISECONDS_MAX
    const retry = Math.min(READINGS_APART_MILLISECONDS, FIRST_RETRY_MILLISECONDS * 2 ** failures)
    set = { ...set, failure, nextReadingAt: isHeld ? nextAfter(at, READINGS_APART_MILLISECONDS) : at + retry }
    failures = Math.min(failures + 1, DOUBLINGS_MAX)
  }

  // Times are of a reading's start: a key removed while the answer travelled is not believed for longer.
  const readOnce = async (): Promise<void> => {
    const at = monotonicNow()
    const result = await read()
    if ('failure' in result) {
      fail(at, result.failure)
      return
    }
    failures = 0
    const isOld = at - set.readAt >= KEYS_FRESH_MILLISECONDS
    const nextReadingAt = nextAfter(at, isOld ? 0 : READINGS_APART_MILLISECONDS)
    set = { jwks: result.jwks, readAt: at, nextReadingAt, failure: null }
  }

  const isFresh = (): boolean => monotonicNow() - set.readAt < KEYS_FRESH_MILLISECONDS

  return async seenAt => {
    // What one thread has read already must not cost another reading in each of the others.
    if (set.readAt > seenAt && isFresh()) return set
    if (reading === undefined && monotonicNow() >= set.nextReadingAt) {
      reading = readOnce().finally(() => {
        reading = undefined
      })
    }
    await reading
    return set
  }
}

type KeySetsOptions = {
  /** By whom a set was named: those of clients must not lead into a private network. */
  readonly fetches: Readonly<Record<KeySetPlace['of'], Fetch>>
  readonly monotonicNow: () => MonotonicMilliseconds
  readonly readingMilliseconds?: number
  readonly metrics?: Metrics
}

/** For the one thread that fetches. The others ask it. */
export const makeKeySets = (options: KeySetsOptions): KeySets => {
  const { fetches, monotonicNow, readingMilliseconds = READING_MILLISECONDS_MAX, metrics = NO_METRICS } = options

  const measured = async (of: KeySetPlace['of'], read: () => Promise<KeySetReading>): Promise<KeySetReading> => {
    const at = monotonicNow()
    const result = await read()
    metrics.observe('mintmark_key_set_fetch_seconds', { of }, (monotonicNow() - at) / 1000)
    metrics.add('mintmark_key_set_fetches_total', { of, outcome: 'failure' in result ? 'failure' : 'success' })
    return result
  }

  const setsOf = (of: KeySetPlace['of']) =>
    cache(PLACES_MAX, key => {
      const [issuer, jwksUri] = JSON.parse(key) as readonly [string, string | null]
      const source = { issuer, jwksUri: jwksUri ?? undefined, fetch: fetches[of], monotonicNow, readingMilliseconds }
      const read = makeKeySetReader(source)
      return makeKeySet({ read: () => measured(of, read), monotonicNow })
    })
  const sets = { provider: setsOf('provider'), client: setsOf('client') }
  return { latest: ({ of, issuer, jwksUri }, seenAt) => sets[of](JSON.stringify([issuer, jwksUri]))(seenAt) }
}
