// A cut-off as the revocation feed reports it: conditions by digests of public ids, which a verifier compares with claims.
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'

/** The first 8 bytes of the SHA-256 of an id's UTF-8 text, base64url: 11 characters. */
export type IdDigest = string

/** The last 8 bytes of a token's id, base64url: 11 characters. */
export type TokenTail = string

/**
 * An act that ended many tokens: those with a smaller `seq` for which all conditions hold. docs/apis/feed-protocol.md names what
 * each condition means; its members are those of the wire.
 */
export type CutOffFact = {
  readonly seq: number
  /** No token that it covers expires later. */
  readonly until: Seconds
  readonly agent?: IdDigest
  readonly agents?: readonly IdDigest[]
  readonly credential?: IdDigest
  readonly key?: IdDigest
  readonly scope?: string
  readonly keep_scopes?: readonly string[]
  readonly audience?: IdDigest
  readonly keep_audiences?: readonly IdDigest[]
  readonly before?: Milliseconds
  readonly root?: TokenTail
  readonly from_another?: true
  readonly issuer?: IdDigest
  readonly subject?: IdDigest
  /** The feed was opened with it: what ended earlier is not in it. */
  readonly opened?: true
}
