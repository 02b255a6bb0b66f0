// Access tokens as text: how they are made, read and recognized.
import type { Actor, Confirmation } from '../../../packages/verify/src/readers/claim-types.ts'
import type { AccessTokenClaims, TokenAddress } from '../domain/ledger/claims.ts'
import type { IntrospectionClaims } from '../domain/ledger/introspection.ts'
import type { RevocationDocument } from '../domain/ledger/revocation-document.ts'
import type { PublicJwk, SigningKey } from '../domain/keys/signing-key.ts'
import type { Digest } from '../domain/text/text.ts'

export type MintedToken = { readonly token: string; readonly digest: Digest }

/** A text that may be a token of this service: the address that its row would have, and the digest. */
export type TokenReference = TokenAddress & {
  readonly digest: Digest
  /** Trusted only if the text is one of our tokens. */
  readonly cnf?: Confirmation
  /** As far as `cnf` is. */
  readonly foreignAct?: Actor
  /** The agent's own claims, as JSON; as far as `cnf` is. */
  readonly ownClaims?: string
}

/**
 * What a text is by itself. `foreign`: a signed token (JWS) that is not of the form in which this service issues. `isExact`:
 * read() accepts it as it is.
 */
export type ClassifiedText = 'malformed' | 'foreign' | { readonly reference: TokenReference; readonly isExact: boolean }

export interface TokenCodec {
  /**
   * Signs all in one turn of the event loop: a signature between two requests runs on cold caches. Undefined for a token
   * that would be too long to be read again: it could never be introspected or revoked.
   */
  mint(claims: readonly AccessTokenClaims[], key: SigningKey): readonly (MintedToken | undefined)[]
  /** Signed introspection responses, with their own `typ` (RFC 9701 §5), all in one turn as `mint` does. */
  signIntrospections(claims: readonly IntrospectionClaims[], key: SigningKey): readonly string[]
  /** Documents of the revocation feed, with their own `typ` (docs/apis/feed-protocol.md), all in one turn as `mint` does. */
  signRevocations(documents: readonly RevocationDocument[], key: SigningKey): readonly string[]
  /** Parses strictly: canonical base64url, three parts, bounded size. Undefined if the text cannot be one of our tokens. */
  read(text: string): TokenReference | undefined
  /** Whether a text that read() accepted is a token signed by this key, under any encoding of the signature. */
  isSignedBy(text: string, key: PublicJwk): Promise<boolean>
  /** Like read(), but for revocation, which must not miss a token: accepts surrounding white space and any encoding of the signature. */
  readLenient(text: string): TokenReference | undefined
  /** Says what a text is, for those who ask why it is not active. */
  classify(text: string): ClassifiedText
}
