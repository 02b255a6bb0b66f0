// Token ids: UUIDv7 (RFC 9562 §5.7) made with the store's clock. They contain the time of issue, and so sort by it.
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const hex = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += (byte + 0x1_00).toString(16).slice(1)
  return text
}

const timePrefix = (issuedAt: Milliseconds): string => {
  const text = issuedAt.toString(16).padStart(12, '0')
  return `${text.slice(0, 8)}-${text.slice(8)}`
}

/** A token id for the time `issuedAt`; `random` is 10 bytes. */
export const makeTokenId = (issuedAt: Milliseconds, random: Uint8Array): string => {
  const text = hex(random)
  const variant = ((random[2] ?? 0) & 0x3f) | 0x80
  return `${timePrefix(issuedAt)}-7${text.slice(1, 4)}-${variant.toString(16)}${text.slice(6, 8)}-${text.slice(8)}`
}

/** Whether the text can be a token id of ours. */
export const isTokenId = (text: string): boolean => UUID_V7.test(text)

/** When the token was issued, by the store's clock. */
export const issuedAtOf = (id: string): Milliseconds => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** The claim `iat`: whole seconds, rounded down. */
export const issuedSecondOf = (id: string): Seconds => Math.floor(issuedAtOf(id) / 1000)

/** The claim `exp` of the token: a token is active while `now < exp`. */
export const expiresSecondOf = (id: string, lifetimeSeconds: number): Seconds => issuedSecondOf(id) + lifetimeSeconds

/** The smallest id of a token issued at `instant` or later. Ids compare as strings like their bytes. */
export const lowestIdAt = (instant: Milliseconds): string => {
  const bounded = Math.min(Math.max(instant, 0), 0xffff_ffff_ffff)
  return `${timePrefix(bounded)}-0000-0000-000000000000`
}

/** Greater than every id. */
export const ABOVE_EVERY_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The smallest id of a token with this lifetime that has not expired at `now`. */
export const lowestLiveId = (now: Milliseconds, lifetimeSeconds: number): string =>
  lowestIdAt(1000 * (Math.floor(now / 1000) - lifetimeSeconds + 1))
