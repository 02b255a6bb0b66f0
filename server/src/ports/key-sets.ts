// The key sets of others, as the thread that fetches them hands them to the threads that verify with them.
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'

/** Where a key set stands. */
export type KeySetPlace = {
  /** Who named it: the configuration (`provider`), or whoever registered a client's credential (`client`). */
  readonly of: 'provider' | 'client'
  readonly issuer: string
  /** Null: from the metadata of the issuer. */
  readonly jwksUri: string | null
}

/** Why a key set could not be read. */
export type ReadingFailure = {
  /** A clause that names no address and quotes no answer: any caller may hear it. */
  readonly cause: string
  /** For the log, with the address and what the network said. */
  readonly detail: string
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
  readonly failure: ReadingFailure | null
}

export interface KeySets {
  /**
   * A set that is newer than the one that was read at `seenAt` (-Infinity where the caller has none), read anew first where
   * none is and it is time for that; of any number of callers at once all wait for one reading. Where there is no newer one,
   * the one there is. Throws Unavailable where the thread that fetches does not answer in time.
   */
  latest(place: KeySetPlace, seenAt: MonotonicMilliseconds): Promise<KeySet>
}
