// Proofs of possession of a key (DPoP, RFC 9449): the required claims at the token endpoint, and how long a proof is accepted.
import { type OrRefusal, refuse } from '../refusal.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { parseWebAddress } from '../../../../api/values/web-address.ts'

/** `required`: a proof must carry a nonce of this service. `off`: none is issued or checked. */
export const DPOP_NONCE_POLICIES = ['required', 'off'] as const

export type DpopNoncePolicy = (typeof DPOP_NONCE_POLICIES)[number]

/** How far `iat` may differ from the store's clock, as for identity providers. */
const PROOF_WINDOW_MS = 60_000
const JTI_CHARACTERS_MAX = 256
/** A nonce belongs to a time step, and is accepted in that step and the next: for one to two minutes. */
const NONCE_STEP_MS = 60_000

type ProofClaims = {
  readonly jti: string
  readonly nonce: unknown
  /** The last time at which the proof is accepted. */
  readonly until: Milliseconds
}

type Claims = Readonly<Record<string, unknown>>

export const refuseProof = (why: string) => refuse('invalid_dpop_proof', `The DPoP proof was refused: ${why}.`)

// RFC 3986 §2: URL.parse would also accept other characters, and white space.
const URI_CHARACTERS = /^[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/
const ESCAPE = /%[0-9A-Fa-f]{2}/g
const UNRESERVED = /[A-Za-z0-9._~-]/

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

/** Whether `htu` is the called URL, by configuration: the Host header decides nothing. */
const isAddress = (htu: unknown, called: string): boolean => {
  if (typeof htu !== 'string') return false
  const normal = normalAddress(htu)
  return htu === called || (normal !== undefined && normal === normalAddress(called))
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** The last time that `iat` and `exp` allow, or what is wrong with them. `exp` and `nbf` are optional. */
const lastInstant = ({ iat, exp, nbf }: Claims, now: Milliseconds): OrRefusal<{ readonly until: Milliseconds }> => {
  if (!isTime(iat)) return refuseProof('iat is missing, or no time')
  if (Math.abs(now - 1000 * iat) > PROOF_WINDOW_MS) {
    return refuseProof(`iat is more than ${PROOF_WINDOW_MS / 1000} s from the time of this service`)
  }
  // RFC 7519 §4.1.4, §4.1.5: if present, they must be respected.
  if (exp !== undefined && !(isTime(exp) && now < 1000 * exp)) return refuseProof('exp has passed, or is no time')
  if (nbf !== undefined && !(isTime(nbf) && now >= 1000 * nbf - PROOF_WINDOW_MS)) {
    return refuseProof('nbf lies in the future, or is no time')
  }
  const byExp = exp === undefined ? Number.POSITIVE_INFINITY : Math.ceil(1000 * exp) - 1
  return { until: Math.min(Math.floor(1000 * iat) + PROOF_WINDOW_MS, byExp) }
}

/** The checked claims of a proof at `now`, or why they are not those of a POST to `called` (RFC 9449 §4.3). */
export const checkProofClaims = (claims: Claims, called: string, now: Milliseconds): OrRefusal<ProofClaims> => {
  const { htm, htu, jti, nonce } = claims
  if (htm !== 'POST') return refuseProof('htm is not POST')
  if (!isAddress(htu, called)) return refuseProof(`htu is not ${called}`)
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_CHARACTERS_MAX) {
    return refuseProof(`jti is not 1 to ${JTI_CHARACTERS_MAX} characters`)
  }
  const last = lastInstant(claims, now)
  return 'refusal' in last ? last : { jti, nonce, ...last }
}

/** The time step whose nonce is issued at `now`. */
export const nonceStepAt = (now: Milliseconds): number => Math.floor(now / NONCE_STEP_MS)

/** The last time at which the nonce of a step is accepted. */
export const nonceLastInstant = (step: number): Milliseconds => (step + 2) * NONCE_STEP_MS - 1
