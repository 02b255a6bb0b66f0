// The expiry of a credential or an API key.
import type { Milliseconds } from '../../../../api/values/time.ts'
import { refuse } from '../refusal.ts'

/** A requested expiry: a time, or a duration after the act by the store's clock; null: never. */
export type Expiry = { readonly at: Milliseconds } | { readonly afterMs: number } | null

export const expiresAtOf = (expiry: Expiry, now: Milliseconds): Milliseconds | null =>
  expiry === null ? null : 'at' in expiry ? expiry.at : now + expiry.afterMs

export const refuseExpired = (): ReturnType<typeof refuse> =>
  refuse('invalid_request', 'The expiry is not in the future.')

/** Valid while `now` is before the expiry. */
export const hasExpired = (expiresAt: Milliseconds | null, now: Milliseconds): boolean =>
  expiresAt !== null && now >= expiresAt

/** The earlier of two expiries; null means never. */
export const earlierExpiry = (expiresAt: Milliseconds | null, other: Milliseconds): Milliseconds =>
  expiresAt === null ? other : Math.min(expiresAt, other)
