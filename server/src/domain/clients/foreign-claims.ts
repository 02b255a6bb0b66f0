// Claims in JWTs of others: their times (RFC 7519 §4.1.4 to §4.1.6), and how far their clocks may differ from ours; and their texts.
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'

export type Claims = Readonly<Record<string, unknown>>

/** An own member: a claim that is named like one of every object is missing where the JWT does not have it. */
export const own = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined)

/** The texts of a claim that is one, or a list of them (RFC 7519 §4.1.3); undefined for anything else. */
export const textsOf = (claim: unknown): readonly string[] | undefined => {
  const members: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  const texts = members.filter(one => typeof one === 'string')
  return texts.length === members.length ? texts : undefined
}

/** How far clocks may differ. */
export const SKEW_SECONDS = 60

/** Until when the use of a JWT is remembered that is taken once: so long as it could be presented. */
export const usedUntil = ({ exp }: Claims): Milliseconds => Math.ceil(1000 * (Number(exp) + SKEW_SECONDS)) - 1

type Allowed = {
  /** How long after `exp` the JWT is taken. */
  readonly lateMax: Seconds
  /** How far in the future `exp` may be. */
  readonly expiryMax: Seconds
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Why the JWT is not taken at `now`; undefined where its times are right. `nbf` and `iat` may be missing. */
export const timeFault = (
  { exp, nbf, iat }: Claims,
  now: Seconds,
  { lateMax, expiryMax }: Allowed,
): string | undefined => {
  if (!isTime(exp)) return 'exp is missing or not a time'
  if (now >= exp + lateMax) return 'it has expired'
  if (exp > now + expiryMax) return `exp is more than ${expiryMax} s away`
  for (const [name, value] of Object.entries({ nbf, iat })) {
    if (value === undefined) continue
    if (!isTime(value)) return `${name} is not a time`
    if (value > now + SKEW_SECONDS) return `${name} lies in the future`
  }
  return undefined
}
