// The claims of an access token (RFC 9068 §2.2) as Mintmark writes them and resource servers read them.

/**
 * Who acts for whom (RFC 8693 §4.1): the last agent outermost, by its id. With `iss` it is no agent: who acted before, as a trusted
 * issuer says, by the name that `iss` gives.
 */
export type Actor = { readonly iss?: string; readonly sub: string; readonly act?: Actor }

/** The one key that a token is bound to: of DPoP proofs (RFC 9449 §6.1) or of a certificate (RFC 8705 §3.1). */
export type Confirmation = { readonly jkt: string } | { readonly 'x5t#S256': string }

/** A token from which this one was got by token exchange. `exp` is in seconds since 1970. */
export type Ancestor = {
  readonly id: string
  readonly exp: number
  readonly seq: number
  readonly agent_id: string
  readonly credential_id: string
  readonly kid: string
}

/** `exp` and `iat` are in seconds since 1970. */
export type Claims = {
  readonly iss: string
  readonly sub: string
  readonly aud: string | readonly string[]
  readonly client_id: string
  readonly iat: number
  readonly exp: number
  readonly nbf?: number
  readonly jti: string
  /** Scope items, by spaces; absent where the token has none. */
  readonly scope?: string
  readonly seq?: number
  readonly act?: Actor
  readonly credential_id?: string
  /** The parent first. */
  readonly lineage?: readonly Ancestor[]
  readonly cnf?: Confirmation
}
