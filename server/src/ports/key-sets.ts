// The key sets of others, as the thread that fetches them hands them to the threads that verify with them.
import type { MonotonicMilliseconds } from '../domain/time.ts'

/** Where a key set stands. */
export type KeySetPlace = {
  /** Who named it: the configuration (`provider`), or whoever registered a client's credential (`client`). */
  readonly of: 'provider' | 'client'
  readonly issuer: string
  /** Null: from the metadata of the issuer. */
  readonly jwksUri: string | null
}

/** A key set as it was read last. It passes between threads, so it holds data only. */
export type KeySet = {
  /** Its keys, of each the members that are read; none where no reading has succeeded. */
  readonly jwks: readonly unknown[]
  /** When that reading began; -Infinity where none has succeeded. */
  readonly readAt: MonotonicMilliseconds
  /** No reading begins earlier. */
  readonly nextReadingAt: MonotonicMilliseconds
  /** Why the last reading failed; null where it did not. */
  readonly failure: string | null
}

export interface KeySets {
  /**
   * The set, read anew first where it is time for that; of any number of callers at once all wait for one reading. Throws
   * Unavailable where the thread that fetches does not answer in time.
   */
  latest(place: KeySetPlace): Promise<KeySet>
}
