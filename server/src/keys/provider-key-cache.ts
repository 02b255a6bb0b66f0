// The keys of one identity provider in memory: how long they are believed, and how often the provider is asked.
import { Unavailable } from '../domain/refusal.ts'
import type { KeySetReading } from './provider-key-set.ts'
import type { ProviderKey } from './provider-key.ts'

/** Older keys are read again before they are used. */
export const KEYS_FRESH_MILLISECONDS = 600_000
/** The longest that a key removed at the provider still counts: where, since then, every reading has failed. */
export const KEYS_HELD_MILLISECONDS_MAX = 1_800_000
/**
 * The time between two readings while keys are held, whatever `kid` callers send: at most two readings in 30 seconds,
 * and a key that appeared during a flood of unknown ones is known 16 seconds later, and the time of a reading.
 */
export const READINGS_APART_MILLISECONDS = 16_000
/** While no keys are held the first failures are tried again sooner: after 1, 2, 4 and 8 seconds. */
const FIRST_RETRY_MILLISECONDS = 1_000

export type ProviderKeyCache = {
  /**
   * The keys that fit. Where none does, or none is good, the set is read again, if the time for that has come.
   * Throws Unavailable where the provider's answer is needed and cannot be had.
   */
  find(fits: (key: ProviderKey) => boolean): Promise<readonly ProviderKey[]>
}

/** One that can be verified with: a weak one may have been replaced. */
const isGood = (key: ProviderKey): boolean => 'key' in key.read()

type Held = { readonly keys: readonly ProviderKey[]; readonly at: number }

export const makeProviderKeyCache = (options: {
  readonly issuer: string
  readonly read: () => Promise<KeySetReading>
  readonly monotonicNow: () => number
}): ProviderKeyCache => {
  let held: Held | undefined
  let failures: readonly string[] = []
  let nextReadingAt = -Infinity
  let reading: Promise<void> | undefined

  const age = (): number => (held === undefined ? Infinity : options.monotonicNow() - held.at)

  const unavailable = (): Unavailable =>
    new Unavailable(
      `The keys of the identity provider ${options.issuer} cannot be had: ${failures.at(-1) ?? 'not read'}.`,
    )

  const heldKeys = (): readonly ProviderKey[] => {
    if (held === undefined || age() >= KEYS_HELD_MILLISECONDS_MAX) throw unavailable()
    return held.keys
  }

  // Times are of a reading's start: a key removed while the answer travelled is not believed for longer.
  const readOnce = async (): Promise<void> => {
    const at = options.monotonicNow()
    const apart = age() < KEYS_HELD_MILLISECONDS_MAX ? READINGS_APART_MILLISECONDS : FIRST_RETRY_MILLISECONDS
    nextReadingAt = at + Math.min(READINGS_APART_MILLISECONDS, apart * 2 ** failures.length)
    const result = await options.read()
    if ('failure' in result) {
      failures = [...failures.slice(-4), result.failure]
      return
    }
    held = { keys: result.keys, at }
    failures = []
    nextReadingAt = at + READINGS_APART_MILLISECONDS
  }

  /** Joins the reading under way, or begins one if it is time; either way all callers wait for the same one. */
  const readIfTime = async (): Promise<void> => {
    if (reading === undefined && options.monotonicNow() < nextReadingAt) return
    reading ??= readOnce().finally(() => {
      reading = undefined
    })
    await reading
  }

  return {
    find: async fits => {
      if (age() >= KEYS_FRESH_MILLISECONDS) await readIfTime()
      const known = heldKeys().filter(fits)
      if (known.some(isGood)) return known
      await readIfTime()
      // The last reading failed, so the key may exist: neither yes nor no would be true.
      if (failures.length > 0) throw unavailable()
      return heldKeys().filter(fits)
    },
  }
}
