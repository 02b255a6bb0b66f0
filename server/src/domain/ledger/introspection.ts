// The introspection response: its members (RFC 7662 §2.2), and the claims of a signed one (RFC 9701 §5).
import type { OwnClaims } from '../../../../api/values/own-claims.ts'
import type { Actor, Confirmation } from '../../../../packages/verify/src/readers/claim-types.ts'

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
      /** Who acts for `sub`; absent where it acts itself (RFC 8693 §4.1). */
      readonly act?: Actor
      /** RFC 9449 §6.2, RFC 8705 §3.2: the key to which the token is bound. */
      readonly cnf?: Confirmation
      /** The agent's own claims: members of the response, by {@link membersOf}. */
      readonly own?: OwnClaims
    }

/** The members of the response. The agent's own claims come last, and take the place of no other. */
export const membersOf = (introspection: Introspection): object => {
  if (!introspection.active || introspection.own === undefined) return introspection
  const { own, ...others } = introspection
  return { ...others, ...own, ...others }
}

/** The claims have no `sub` and no `exp`, so that no verifier mistakes the response for an access token (RFC 9701 §5). */
export type IntrospectionClaims = {
  readonly iss: string
  /** The id of the caller's API key. */
  readonly aud: string
  /** The time of the response, in seconds. */
  readonly iat: number
  /** By {@link membersOf}. */
  readonly token_introspection: object
}
