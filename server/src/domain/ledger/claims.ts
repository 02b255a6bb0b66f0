// The claims of an access token of ours (RFC 9068 §2.2), and what they tell before anything is trusted.
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
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
  /** Not there in a bearer token. */
  readonly cnf?: Confirmation
}

/**
 * The key whose holder alone may use a token (RFC 7800 §3), one and no more: of DPoP proofs (RFC 9449 §6.1), or of a
 * certificate (RFC 8705 §3.1).
 */
export type Confirmation = { readonly jkt: string } | { readonly 'x5t#S256': string }

/** `aud` is one string where there is one audience (RFC 7519 §4.1.3). */
export const audienceClaim = (audiences: readonly string[]): string | readonly string[] => {
  const [only] = audiences
  return audiences.length === 1 && only !== undefined ? only : audiences
}

/** Where the row of a token would stand, as its unverified payload says; the digest proves it. */
export type TokenAddress = { readonly id: string; readonly lifetimeSeconds: number }

/** The payload of a token, its members in the order in which {@link addressReader} looks for them. */
export const formatClaims = ({ iss, sub, aud, client_id, iat, exp, jti, scope, seq, cnf }: AccessTokenClaims): string =>
  JSON.stringify({ iss, sub, aud, client_id, iat, exp, jti, scope, seq, cnf })

// In JSON a quotation mark inside a string is escaped: no value can look like these members.
const ADDRESS = /,"iat":(\d{1,12}),"exp":(\d{1,12}),"jti":"([0-9a-f-]{36})",/

/**
 * Reads the address in an unverified payload; undefined where it cannot be one of ours, by this issuer. Found in the
 * text: to parse all claims costs as much as to look the token up.
 */
export const addressReader = (issuer: string): ((payload: string) => TokenAddress | undefined) => {
  const start = `{"iss":${JSON.stringify(issuer)},`
  return payload => {
    const found = payload.startsWith(start) ? ADDRESS.exec(payload) : null
    if (found === null) return undefined
    const [, iat, exp, id = ''] = found
    if (!isTokenId(id) || Number(iat) !== issuedSecondOf(id)) return undefined
    const lifetimeSeconds = Number(exp) - Number(iat)
    return lifetimeSeconds >= 1 && lifetimeSeconds <= LIFETIME_SECONDS_MAX ? { id, lifetimeSeconds } : undefined
  }
}

const BOUND_KEY = /,"cnf":\{"(jkt|x5t#S256)":"([\w-]{43})"\}\}$/

/** What a payload of ours names in `cnf`, its last member; undefined where it names nothing. */
export const confirmationIn = (payload: string): Confirmation | undefined => {
  const [, method, thumbprint = ''] = BOUND_KEY.exec(payload) ?? []
  if (method === undefined) return undefined
  return method === 'jkt' ? { jkt: thumbprint } : { 'x5t#S256': thumbprint }
}
