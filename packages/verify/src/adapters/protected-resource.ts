// What all adapters share: the metadata of the protected resource (RFC 9728), the headers of their responses, and verified requests.
import { PROOF_ALGORITHMS } from '../readers/proof-claims.ts'
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'
import { onlyOne } from '../wire/option-members.ts'
import { checkVerifier, type MetadataMembers, takeMetadata } from './guard.ts'

/** The protected resource metadata (RFC 9728 §2). */
const metadataOf = ({ resource }: Verifier, members: MetadataMembers) => ({
  resource: resource.audience,
  authorization_servers: [resource.issuer],
  bearer_methods_supported: ['header'],
  dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
  ...members,
})

/** Any page may read the metadata: clients in browsers need it. */
const METADATA_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
} as const

/** The response to a preflight of the metadata, as the service responds to one of its own: a client may add headers to its request. */
const PREFLIGHT_HEADERS = {
  'cache-control': 'no-store',
  allow: 'GET, HEAD, OPTIONS',
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
} as const

export type MetadataMethod = 'GET' | 'HEAD' | 'OPTIONS'

export const METADATA_METHODS: readonly MetadataMethod[] = ['GET', 'HEAD', 'OPTIONS']

export type MetadataResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type MetadataRoute = {
  /** Where this server publishes the metadata (RFC 9728 §3.1); undefined if the audience is no URL. */
  readonly path: string | undefined
  /** The response to a request at the path of the metadata; undefined for a method that has none. */
  readonly respond: (method: string | undefined) => MetadataResponse | undefined
}

const format = (where: string, metadata: object): string => {
  try {
    return JSON.stringify(metadata)
  } catch {
    throw new TypeError(`${where}: metadata: it holds what JSON cannot, such as a bigint or an object within itself.`)
  }
}

/** Written as text once, so that no request can fail by it. Throws a TypeError for what is no verifier, and for wrong members. */
export const makeMetadata = (
  where: string,
  verifier: Verifier,
  ...given: readonly [members?: MetadataMembers]
): MetadataRoute => {
  checkVerifier(where, verifier)
  // A second one would demand nothing.
  const members: unknown = onlyOne(where, given)
  const { metadataAddress } = verifier.resource
  const text = format(where, metadataOf(verifier, takeMetadata(where, members === undefined ? {} : members)))
  return {
    path: metadataAddress === undefined ? undefined : new URL(metadataAddress).pathname,
    respond: method => {
      if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT_HEADERS }
      if (method !== 'GET' && method !== 'HEAD') return undefined
      return { status: 200, headers: METADATA_HEADERS, body: text }
    },
  }
}

/** The header that lets a page of another origin read a header of the response. */
export const EXPOSE = 'access-control-expose-headers'
const CHALLENGE = 'WWW-Authenticate'

/** The value of {@link EXPOSE} where the application has set it before: what it exposes stays exposed. */
export const exposedBeside = (before: unknown): string => {
  const names = before === undefined || before === null ? [] : [before].flat().map(String)
  const isNamed = names.some(line =>
    line.split(',').some(name => name.trim().toLowerCase() === CHALLENGE.toLowerCase()),
  )
  return (isNamed ? names : [...names, CHALLENGE]).join(', ')
}

/** Headers of the response to a refused request (RFC 6750 §3). `before` is what the application has set of {@link EXPOSE}. */
export const headersOf = ({ challenge, retryAfter }: Refused, before?: unknown): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  // A client in a browser must read which scope to ask for.
  ...(challenge !== undefined && { 'www-authenticate': challenge, [EXPOSE]: exposedBeside(before) }),
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
