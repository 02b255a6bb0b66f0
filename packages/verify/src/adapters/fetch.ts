// For handlers of the Fetch API: workers, Deno, Bun, and frameworks made of them.
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'
import {
  addressOf,
  type Guard,
  headersOf,
  METADATA_HEADERS,
  type MetadataMembers,
  metadataOf,
  metadataPathOf,
  scopesFor,
} from './protected-resource.ts'

/** Receives the request, its verified token, and what else the runtime passes. */
export type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  verified: Verified,
  ...rest: Rest
) => Response | Promise<Response>

/** The response to a refused request: status, challenge and body (RFC 6750 §3). */
export const refusalResponse = (refused: Refused): Response =>
  new Response(JSON.stringify(refused.body), { status: refused.status, headers: headersOf(refused) })

/** The token of a request, or why it is refused. */
export const verifyRequest = (
  verifier: Verifier,
  request: Request,
  guard: Guard<Request> = {},
): Promise<Verified | Refused> =>
  verifier.authorize({
    authorization: request.headers.get('authorization') ?? undefined,
    proof: request.headers.get('dpop') ?? undefined,
    method: request.method,
    url: addressOf(verifier, request.url, new URL(request.url).origin),
    certificate: guard.certificate?.(request),
    scopes: scopesFor(guard, request),
  })

/** The metadata, if the request is for it (RFC 9728 §3); else undefined. */
export const metadataResponse = (
  verifier: Verifier,
  request: Request,
  members?: MetadataMembers,
): Response | undefined => {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (!isRead || new URL(request.url).pathname !== metadataPathOf(verifier)) return undefined
  const body = request.method === 'HEAD' ? null : JSON.stringify(metadataOf(verifier, members))
  return new Response(body, { status: 200, headers: METADATA_HEADERS })
}

/** A handler that serves the metadata, and calls the given one only with a verified token. */
export const protect =
  <Rest extends readonly unknown[]>(
    verifier: Verifier,
    handler: GuardedHandler<Rest>,
    { metadata, ...guard }: Guard<Request> & { readonly metadata?: MetadataMembers } = {},
  ) =>
  async (request: Request, ...rest: Rest): Promise<Response> => {
    const described = metadataResponse(verifier, request, metadata)
    if (described !== undefined) return described
    const result = await verifyRequest(verifier, request, guard)
    return result.ok ? handler(request, result, ...rest) : refusalResponse(result)
  }
