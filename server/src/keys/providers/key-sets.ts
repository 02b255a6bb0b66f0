// Fetches the key sets of others, each once for all threads of the process, and no more often than their servers can be asked.
import type { MonotonicMilliseconds } from '../../../../api/values/time.ts'
import type { KeySet, KeySetPlace, KeySets, ReadingFailure } from '../../ports/key-sets.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import type { Timing } from '../../ports/timing.ts'
import type { Fetch } from './fetch-json.ts'
import { KEYS_FRESH_MILLISECONDS, KEYS_HELD_MILLISECONDS_MAX } from './provider-key-cache.ts'
import { type KeySetReading, makeKeySetReader } from './provider-key-set.ts'
import { cache } from '../cache.ts'

/** How often the pause after a failure doubles while no keys are held. */
const DOUBLINGS_MAX = 4

/** Sets that are kept of each kind of owner; of more, those that were needed last. */
export const PLACES_MAX = 1000

const NEVER_READ: KeySet = { jwks: [], readAt: -Infinity, nextReadingAt: -Infinity, failure: null }

type KeySetTiming = Pick<Timing, 'keyFirstRetryMs' | 'keyReadingsApartMs' | 'keyTwoReadingsMs'>

type KeySetOptions = {
  readonly timing: KeySetTiming
  readonly read: () => Promise<KeySetReading>
  readonly monotonicNow: () => MonotonicMilliseconds
}

/** One set: returns the last reading. A caller that has seen that one gets a new reading, if one is due. */
export const makeKeySet = ({
  timing: { keyFirstRetryMs, keyReadingsApartMs, keyTwoReadingsMs },
  read,
  monotonicNow,
}: KeySetOptions): ((seenAt: MonotonicMilliseconds) => Promise<KeySet>) => {
  let set = NEVER_READ
  let failures = 0
  let countedAt = -Infinity
  let reading: Promise<void> | undefined

  /** When the next reading may begin after one that began at `at`, and `apart` from it. */
  const nextAfter = (at: MonotonicMilliseconds, apart: number): MonotonicMilliseconds => {
    const next = Math.max(countedAt + keyTwoReadingsMs, at + apart)
    countedAt = at
    return next
  }

  const fail = (at: MonotonicMilliseconds, failure: ReadingFailure): void => {
    const isHeld = at - set.readAt < KEYS_HELD_MILLISECONDS_MAX
    const retry = Math.min(keyReadingsApartMs, keyFirstRetryMs * 2 ** failures)
    set = { ...set, failure, nextReadingAt: isHeld ? nextAfter(at, keyReadingsApartMs) : at + retry }
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
    const nextReadingAt = nextAfter(at, isOld ? 0 : keyReadingsApartMs)
    set = { jwks: result.jwks, readAt: at, nextReadingAt, failure: null }
  }

  const isFresh = (): boolean => monotonicNow() - set.readAt < KEYS_FRESH_MILLISECONDS

  return async seenAt => {
    // Another thread had it read since: each thread that asks must not cause a reading of its own.
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
  /** The fetch by owner of the key set: the URLs of clients and trusted issuers must not lead into a private network. */
  readonly fetches: Readonly<Record<KeySetPlace['of'], Fetch>>
  readonly monotonicNow: () => MonotonicMilliseconds
  readonly timing: KeySetTiming & Pick<Timing, 'keyReadingMs'>
  readonly metrics?: Metrics
}

/** Makes the key sets of the one thread that fetches; the other threads ask it. */
export const makeKeySets = (options: KeySetsOptions): KeySets => {
  const { fetches, monotonicNow, timing, metrics = NO_METRICS } = options

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
      const source = { issuer, jwksUri: jwksUri ?? undefined, fetch: fetches[of], monotonicNow, timing }
      const read = makeKeySetReader(source)
      return makeKeySet({ timing, read: () => measured(of, read), monotonicNow })
    })
  const sets = { provider: setsOf('provider'), client: setsOf('client'), issuer: setsOf('issuer') }
  return { latest: ({ of, issuer, jwksUri }, seenAt) => sets[of](JSON.stringify([issuer, jwksUri]))(seenAt) }
}
