// Requests of the Fetch API with a guard and metadata that were checked before: what the adapters for them share.
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'
import { certificateFor, type Guard, scopesFor } from './guard.ts'
import type { MetadataRoute } from './protected-resource.ts'
import { addressOf } from './request-address.ts'

/** The token of a request, or why it is refused. Rejects where a function of the guard fails. */
export const verifyGuarded = async (
  verifier: Verifier,
  request: Request,
  guard: Guard<Request>,
): Promise<Verified | Refused> =>
  verifier.authorize({
    authorization: request.headers.get('authorization') ?? undefined,
    proof: request.headers.get('dpop') ?? undefined,
    method: request.method,
    // Most runtimes have resolved dot segments in it, and handlers see the same text: there is no raw target beside it.
    url: addressOf(verifier, guard, { target: request.url, ownOrigin: new URL(request.url).origin }),
    certificate: await certificateFor(guard, request),
    scopes: await scopesFor(guard, request),
  })

/** The metadata, if the request is for it (RFC 9728 §3) or a preflight of it; else undefined. */
export const describeTo = ({ path, respond }: MetadataRoute, { url, method }: Request): Response | undefined => {
  if (new URL(url).pathname !== path) return undefined
  const answer = respond(method)
  if (answer === undefined) return undefined
  const body = method === 'GET' ? (answer.body ?? null) : null
  return new Response(body, { status: answer.status, headers: answer.headers })
}
