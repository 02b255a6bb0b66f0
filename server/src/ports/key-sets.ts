// Key sets of identity providers, clients and trusted issuers, as the fetching thread passes them to verifying threads; and the operators whom
// identity providers name.
import type { OperatorCaller } from '../domain/caller.ts'
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'

/** The location of a key set. */
export type KeySetPlace = {
  /** Its origin: the configuration (`provider`), a client's credential (`client`), or the record of a trusted issuer (`issuer`). */
  readonly of: 'provider' | 'client' | 'issuer'
  readonly issuer: string
  /** Null where the metadata of the issuer names it. */
  readonly jwksUri: string | null
}

/** Why a key set could not be read. */
export type ReadingFailure = {
  /** A clause without address or quotation, safe for any caller. */
  readonly cause: string
  /** The cause with the address and the network error, for the log. */
  readonly detail: string
  /** Where metadata was read and is not that of the issuer: what it names in place of that; null if nothing. */
  readonly named?: string | null
}

/** A key set as last read. It is passed between threads, so it contains only data. */
export type KeySet = {
  /** Its keys, reduced to the needed members; empty if no fetch has succeeded. */
  readonly jwks: readonly unknown[]
  /** When that fetch began; -Infinity if none has succeeded. */
  readonly readAt: MonotonicMilliseconds
  /** The earliest time of the next fetch. */
  readonly nextReadingAt: MonotonicMilliseconds
  /** Why the last fetch failed; null if it succeeded. */
  readonly failure: ReadingFailure | null
}

export interface KeySets {
  /**
   * A set that is newer than the one read at `seenAt` (-Infinity if the caller has none), fetched first if there is none
   * and a fetch is due; concurrent callers share one fetch. If there is no newer one, the present one. Throws Unavailable
   * if the fetching thread does not answer in time.
   */
  latest(place: KeySetPlace, seenAt: MonotonicMilliseconds): Promise<KeySet>
}

/** Whether the operators of a provider can be recognized. */
export type ProviderState =
  | { readonly issuer: string; readonly status: 'ok' }
  /** `stale`: cached keys are trusted for now, and newer ones cannot be read. */
  | (ReadingFailure & { readonly issuer: string; readonly status: 'stale' | 'unavailable' })

export interface Operators {
  /**
   * The operator in a JWT of a configured identity provider, or why it is refused (for the log only). Throws
   * Unavailable if the keys cannot be read, or if too many JWTs wait for verification; each network has its share of the queue.
   */
  verify(jwt: string, source: string): Promise<OperatorCaller | { readonly refused: string }>
  /** The state of each configured provider, in that order. Fetches keys if a fetch is due. */
  check(): Promise<readonly ProviderState[]>
  /** What `aud` of their JWTs is, by the providers configured now. At a terminal: as far as its settings have it. */
  audiences(): readonly string[]
}
