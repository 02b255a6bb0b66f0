// What all adapters share: the metadata of the protected resource (RFC 9728), the address of a request, and its response.
import type { Certificate } from '../proofs/certificate.ts'
import { PROOF_ALGORITHMS } from '../readers/proof-claims.ts'
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'

/** What a route asks of a token. */
export type Guard<Request> = {
  /** Scope items that the token must all carry, or which they are for a request. */
  readonly scopes?: readonly string[] | ((request: Request) => readonly string[])
  /** The certificate of the caller's TLS connection, where tokens are bound to certificates. Never from a header that a caller can send. */
  readonly certificate?: (request: Request) => Certificate | undefined
}

/** Members of the metadata beside those that follow from the verifier (RFC 9728 §2). */
export type MetadataMembers = {
  readonly scopes_supported?: readonly string[]
  readonly resource_name?: string
  readonly resource_documentation?: string
  readonly tls_client_certificate_bound_access_tokens?: boolean
}

export type Metadata = MetadataMembers & {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly bearer_methods_supported: readonly string[]
  readonly dpop_signing_alg_values_supported: readonly string[]
}

/** The protected resource metadata (RFC 9728 §2). */
export const metadataOf = ({ resource }: Verifier, members: MetadataMembers = {}): Metadata => ({
  resource: resource.audience,
  authorization_servers: [resource.issuer],
  bearer_methods_supported: ['header'],
  dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  ...members,
})

/** Any page may read the metadata: clients in browsers need it. */
export const METADATA_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
} as const

/** Returns the path at which this server publishes the metadata (RFC 9728 §3.1); undefined if the audience is no URL. */
export const metadataPathOf = ({ resource }: Verifier): string | undefined =>
  resource.metadataAddress === undefined ? undefined : new URL(resource.metadataAddress).pathname

/**
 * The address of a request as its caller writes it, for DPoP: the origin of the audience with the path of the request. What
 * the header Host says is the caller's choice, so it counts only where the audience is no URL.
 */
export const addressOf = ({ resource }: Verifier, target: string, ownOrigin: string): string => {
  const isUrl = URL.canParse(resource.audience) && /^https?:/i.test(resource.audience)
  const origin = isUrl ? new URL(resource.audience).origin : ownOrigin
  // Resolved against a base, what follows two slashes would be a host, and the path only what stands behind that.
  if (target.startsWith('/')) return `${origin}${target}`
  return `${origin}${URL.canParse(target) ? new URL(target).pathname : '/'}`
}

export const scopesFor = <Request>({ scopes = [] }: Guard<Request>, request: Request): readonly string[] =>
  typeof scopes === 'function' ? scopes(request) : scopes

/** Headers of the response to a refused request (RFC 6750 §3). */
export const headersOf = ({ challenge, retryAfter }: Refused): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  ...(challenge !== undefined && { 'www-authenticate': challenge }),
  ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
})

/** Verified tokens by the request that brought them: no framework's types are changed for it. */
export const makeVerifiedRequests = () => {
  const byRequest = new WeakMap<object, Verified>()
  return {
    note: (request: object, verified: Verified): void => void byRequest.set(request, verified),
    /** Throws where the request was not verified: a route without its guard must not pass for one with it. */
    of: (request: object): Verified => {
      const verified = byRequest.get(request)
      if (verified === undefined) throw new Error('This request was not verified: put requireToken before its handler.')
      return verified
    },
  }
}
