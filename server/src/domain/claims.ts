// The claims of an access token of ours (RFC 9068 §2.2), and what they tell before anything is trusted.
import { LIFETIME_SECONDS_MAX } from './agent.ts'
import { issuedSecondOf, isTokenId } from './token-id.ts'

export type AccessTokenClaims = {
  readonly iss: string
  readonly sub: string
  readonly aud: string | readonly string[]
  readonly client_id: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly scope: string
  /** Ours: `service.seq` as the decision to issue saw it. */
  readonly seq: number
  /** The key whose holder alone may use the token (RFC 9449 §6.1); not there in a bearer token. */
  readonly cnf?: { readonly jkt: string }
}

/** `aud` is one string where there is one audience (RFC 7519 §4.1.3). */
export const audienceClaim = (audiences: readonly string[]): string | readonly string[] => {
  const [only] = audiences
  return audiences.length === 1 && only !== undefined ? only : audiences
}

/** Where the row of a token would stand, as its unverified payload says; the digest proves it. */
export type TokenAddress = { readonly id: string; readonly lifetimeSeconds: number }

/** The address in an unverified payload, or undefined where the claims cannot be ours. */
export const addressOf = (payload: unknown, issuer: string): TokenAddress | undefined => {
  if (typeof payload !== 'object' || payload === null) return undefined
  const { iss, jti, iat, exp } = payload as Partial<Record<keyof AccessTokenClaims, unknown>>
  if (iss !== issuer || typeof jti !== 'string' || !isTokenId(jti)) return undefined
  if (typeof iat !== 'number' || typeof exp !== 'number' || iat !== issuedSecondOf(jti)) return undefined
  const lifetimeSeconds = exp - iat
  const isLifetime =
    Number.isInteger(lifetimeSeconds) && lifetimeSeconds >= 1 && lifetimeSeconds <= LIFETIME_SECONDS_MAX
  return isLifetime ? { id: jti, lifetimeSeconds } : undefined
}

/** The thumbprint of the key that a payload names in `cnf`; undefined where it names none. */
export const boundKeyOf = (payload: unknown): string | undefined => {
  const jkt = (payload as { readonly cnf?: { readonly jkt?: unknown } | null } | null)?.cnf?.jkt
  return typeof jkt === 'string' ? jkt : undefined
}
