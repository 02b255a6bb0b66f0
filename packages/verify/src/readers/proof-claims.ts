// The claims of DPoP proofs (RFC 9449 §4.3), at the token endpoint and at resource servers: for this request, and of this time.
import type { JsonObject } from './json.ts'
import { parseWebAddress } from './web-address.ts'

/** Longer ones are not read: one by RSA with 4096 bits has some 2000 characters, one by ES256 some 500. */
export const PROOF_CHARACTERS_MAX = 4096
/** Asymmetric all (RFC 9449 §4.3); `EdDSA` is the older name of Ed25519 (RFC 9864). */
export const PROOF_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA', 'RS256', 'PS256'] as const
/** The distance of `iat` from the present time, before it. */
export const PROOF_AGE_SECONDS_MAX = 60
export const ID_CHARACTERS_MAX = 256

export type CalledAddress = {
  /** The method of the request in capital letters. */
  readonly method: string
  /** The URL of the request as it was sent: its query and fragment are ignored. */
  readonly url: string
}

export type ProofTime = {
  readonly nowMs: number
  /** How far `iat` may lie in the future, in seconds. */
  readonly aheadSecondsMax: number
}

export type ProofClaims = {
  readonly jti: string
  /** The last time at which the proof is accepted, in ms since 1970. */
  readonly until: number
}

/** What is wrong with a proof, as the end of a sentence. */
export type ProofFault = { readonly wrong: string }

// RFC 3986 §2, and the bar, which URL leaves as it is. URL.parse would also take white space and other characters.
const URI_CHARACTERS = /^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%|-]+$/
const ESCAPE = /%[0-9A-Fa-f]{2}/g
const UNRESERVED = /[A-Za-z0-9._~-]/
/** A router may not resolve it as URL.parse does, and would choose another route than the one that the proof is for. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

const normalizeEscape = (escape: string): string => {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
  return UNRESERVED.test(character) ? character : escape.toUpperCase()
}

/** The URL without query and fragment, in normal form (RFC 3986 §6.2.2, §6.2.3); undefined if it is not a URL. */
const normalAddress = (text: string): string | undefined => {
  const url = URI_CHARACTERS.test(text) ? parseWebAddress(text) : undefined
  if (url === undefined || url.username !== '' || url.password !== '') return undefined
  return url.origin + url.pathname.replaceAll(ESCAPE, normalizeEscape)
}

/** The query is the caller's, in whatever characters, and no part of what is compared. */
const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? ''

const isAddress = (htu: unknown, url: string): boolean => {
  const address = withoutQuery(url)
  if (typeof htu !== 'string' || DOT_SEGMENT.test(address)) return false
  const called = normalAddress(address)
  return called !== undefined && normalAddress(htu) === called
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** The last time that `iat` and `exp` allow, or what is wrong with them. `exp` and `nbf` are optional. */
const lastInstant = ({ iat, exp, nbf }: JsonObject, time: ProofTime): { readonly until: number } | ProofFault => {
  const { nowMs, aheadSecondsMax } = time
  if (!isTime(iat)) return { wrong: 'iat is missing, or no time' }
  const secondsMax = 1000 * iat > nowMs ? aheadSecondsMax : PROOF_AGE_SECONDS_MAX
  if (Math.abs(nowMs - 1000 * iat) > 1000 * secondsMax) {
    return { wrong: `iat is more than ${secondsMax} s from the time of this service` }
  }
  // RFC 7519 §4.1.4, §4.1.5: if present, they must be respected.
  if (exp !== undefined && !(isTime(exp) && nowMs < 1000 * exp)) return { wrong: 'exp has passed, or is no time' }
  if (nbf !== undefined && !(isTime(nbf) && nowMs >= 1000 * (nbf - aheadSecondsMax))) {
    return { wrong: 'nbf lies in the future, or is no time' }
  }
  const byExp = exp === undefined ? Number.POSITIVE_INFINITY : Math.ceil(1000 * exp) - 1
  return { until: Math.min(Math.floor(1000 * iat) + 1000 * PROOF_AGE_SECONDS_MAX, byExp) }
}

/** The claims of a proof for this request at this time, or what is wrong with them. */
export const checkProofClaims = (
  claims: JsonObject,
  { method, url }: CalledAddress,
  time: ProofTime,
): ProofClaims | ProofFault => {
  const { htm, htu, jti } = claims
  if (typeof htm !== 'string' || htm !== method) return { wrong: `htm is not ${method}` }
  if (!isAddress(htu, url)) return { wrong: `htu is not ${withoutQuery(url)}` }
  if (typeof jti !== 'string' || jti === '' || jti.length > ID_CHARACTERS_MAX) {
    return { wrong: `jti is not 1 to ${ID_CHARACTERS_MAX} characters` }
  }
  const last = lastInstant(claims, time)
  return 'wrong' in last ? last : { jti, ...last }
}
