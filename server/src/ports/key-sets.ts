// Key sets of identity providers and clients, as the fetching thread passes them to verifying threads; and the operators whom
// identity providers name.
import type { OperatorCaller } from '../domain/caller.ts'
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

/** Whether the operators of a provider can be recognized. */
export type ProviderState =
  | { readonly issuer: string; readonly status: 'ok' }
  /** `stale`: keys that were read before are believed for now, and newer ones cannot be read. */
  | (ReadingFailure & { readonly issuer: string; readonly status: 'stale' | 'unavailable' })

export interface Operators {
  /**
   * The operator whom a JWT of a configured identity provider names, or why it is refused (for the log only). Throws
   * Unavailable where the keys cannot be had, or too many wait to be verified; of these each network has its share.
   */
  verify(jwt: string, source: string): Promise<OperatorCaller | { readonly refused: string }>
  /** One state for each provider that is configured, in that order. It reads keys anew where it is time for that. */
  check(): Promise<readonly ProviderState[]>
}
