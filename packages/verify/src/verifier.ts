// The public face: what a verifier is asked, what it answers, and what it says of itself.
import type { Certificate } from './proofs/certificate.ts'
import type { Presented } from './proofs/dpop.ts'
import type { Refused } from './refusals.ts'
import type { Claims } from './readers/claim-types.ts'

/**
 * `feed`: by signature and by the revocation feed. `offline`: by signature alone; a revoked token is accepted until its
 * `exp`. `introspect`: one call to the service for each token.
 */
export type Mode = 'feed' | 'offline' | 'introspect'

export type Asked = {
  /** Scope items that the token must all carry. */
  readonly scopes?: readonly string[]
  /** The request and its proof, where the token came by the scheme DPoP (RFC 9449 §7.1). Omitted for Bearer. */
  readonly dpop?: Presented
  /** The certificate of the caller's TLS connection, where there is one (RFC 8705 §3). */
  readonly certificate?: Certificate | undefined
}

export type Verified = {
  readonly ok: true
  /** With the own claims of the agent. Frozen: they are handed out again for the next request with the token. */
  readonly claims: Claims & Readonly<Record<string, unknown>>
  /** The items of `scope`. */
  readonly scopes: readonly string[]
  /** What said that the token has not been revoked; `signature`: nothing did. */
  readonly by: 'feed' | 'introspection' | 'signature'
}

export type Status = {
  readonly name: string | undefined
  readonly mode: Mode
  /** The epoch of the feed; undefined until a snapshot was applied. */
  readonly epoch: string | undefined
  readonly position: number | undefined
  /** The time since the latest request was sent whose response confirmed the position, in ms; undefined before the first. */
  readonly stalenessMs: number | undefined
  /** Whether the feed alone decides now. */
  readonly isFresh: boolean
  readonly transport: 'stream' | 'long poll' | 'none'
  /** The time since the key set was read, in ms; undefined before the first reading. */
  readonly keysAgeMs: number | undefined
  /** Tokens, cut-offs and bytes of tokens that the feed's facts take. */
  readonly facts: { readonly ends: number; readonly cutOffs: number; readonly bytes: number } | undefined
  readonly cachedTokens: number
  /** The number of problems so far. */
  readonly failures: number
  readonly lastFailure: { readonly at: Date; readonly problem: string } | undefined
}

/** A request as adapters have it. */
export type RequestToAuthorize = {
  /** The header `Authorization`; undefined where there is none. */
  readonly authorization: string | undefined
  /** The header `DPoP`. */
  readonly proof: string | undefined
  readonly method: string
  /** The URL as callers write it: the origin of the audience, and the path of the request. */
  readonly url: string
  readonly certificate?: Certificate | undefined
  readonly scopes?: readonly string[]
}

export type Verifier = {
  /** Never rejects, and settles within seconds: whatever is wrong with a token, the service, or `asked`, is a refusal. */
  readonly verify: (token: string | undefined, asked?: Asked) => Promise<Verified | Refused>
  /** Verifies the token in the headers of a request: reads the scheme and the token (RFC 6750 §2.1, RFC 9449 §7.1). */
  readonly authorize: (request: RequestToAuthorize) => Promise<Verified | Refused>
  /** Begins to follow the feed; the first token does that too. Resolves once it is confirmed, or after this many ms, 10,000 unless given. Rejects with `TypeError` for what is no time. */
  readonly ready: (timeoutMs?: number) => Promise<Status>
  readonly status: () => Status
  /** Protected resource metadata (RFC 9728 §2) and where it stands. */
  readonly resource: ResourceDescription
  /** Ends what runs in the background; every token is refused from then on. */
  readonly close: () => void
}

export type ResourceDescription = {
  readonly audience: string
  readonly issuer: string
  /** The value of `resource_metadata`; undefined where the audience is no URL. */
  readonly metadataAddress: string | undefined
}
