// Fetches the key sets of others, each once for all threads of the process, and no more often than their servers can be asked.
import type { MonotonicMilliseconds } from '../domain/time.ts'
import type { KeySet, KeySetPlace, KeySets } from '../ports/key-sets.ts'
import type { Fetch } from './fetch-json.ts'
import { KEYS_HELD_MILLISECONDS_MAX } from './provider-key-cache.ts'
import { type KeySetReading, makeKeySetReader, READING_MILLISECONDS_MAX } from './provider-key-set.ts'
import { remember } from './remember.ts'

/**
 * The time between two readings while keys are held, whatever `kid` callers send: at most two readings in 30 seconds,
 * and a key that appeared during a flood of unknown ones is known 16 seconds later, and the time of a reading.
 */
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

/** One set: gives it as it was read last, or as it is read now where it is time for that. */
export const makeKeySet = ({ read, monotonicNow }: KeySetOptions): (() => Promise<KeySet>) => {
  let set = NEVER_READ
  let failures = 0
  let reading: Promise<void> | undefined

  // Times are of a reading's start: a key removed while the answer travelled is not believed for longer.
  const readOnce = async (): Promise<void> => {
    const at = monotonicNow()
    const isHeld = at - set.readAt < KEYS_HELD_MILLISECONDS_MAX
    const retry = isHeld ? READINGS_APART_MILLISECONDS : FIRST_RETRY_MILLISECONDS * 2 ** failures
    set = { ...set, nextReadingAt: at + Math.min(READINGS_APART_MILLISECONDS, retry) }
    const result = await read()
    if ('failure' in result) {
      failures = Math.min(failures + 1, DOUBLINGS_MAX)
      set = { ...set, failure: result.failure }
      return
    }
    failures = 0
    set = { jwks: result.jwks, readAt: at, nextReadingAt: at + READINGS_APART_MILLISECONDS, failure: null }
  }

  return async () => {
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
}

/** For the one thread that fetches. The others ask it. */
export const makeKeySets = (options: KeySetsOptions): KeySets => {
  const { fetches, monotonicNow, readingMilliseconds = READING_MILLISECONDS_MAX } = options
  const setsOf = (of: KeySetPlace['of']) =>
    remember(PLACES_MAX, key => {
      const [issuer, jwksUri] = JSON.parse(key) as readonly [string, string | null]
      const source = { issuer, jwksUri: jwksUri ?? undefined, fetch: fetches[of], monotonicNow, readingMilliseconds }
      return makeKeySet({ read: makeKeySetReader(source), monotonicNow })
    })
  const sets = { provider: setsOf('provider'), client: setsOf('client') }
  return { latest: ({ of, issuer, jwksUri }) => sets[of](JSON.stringify([issuer, jwksUri]))() }
}
