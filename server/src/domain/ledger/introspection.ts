// What is said of a token: as RFC 7662 §2.2 names its members, and as the claims of a signed answer (RFC 9701 §5).
import type { Confirmation } from './claims.ts'

export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true
      readonly sub: string
      readonly scope: string
      readonly exp: number
      readonly client_id: string
      readonly iss: string
      readonly aud: string | readonly string[]
      readonly iat: number
      readonly jti: string
      readonly token_type: 'Bearer' | 'DPoP'
      /** RFC 9449 §6.2, RFC 8705 §3.2: the key whose holder alone may use the token. */
      readonly cnf?: Confirmation
    }

/** Neither `sub` nor `exp` stands beside these, so that nobody takes the answer for an access token (RFC 9701 §5). */
export type IntrospectionClaims = {
  readonly iss: string
  /** The id of the API key that asked. */
  readonly aud: string
  /** When the answer was made, in seconds. */
  readonly iat: number
  readonly token_introspection: Introspection
}
