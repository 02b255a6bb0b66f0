// For handlers of the Fetch API: workers, Deno, Bun, and frameworks made of them.
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'
import { isFunction, type Kind } from '../wire/option-members.ts'
import { describeTo, verifyGuarded } from './fetch-request.ts'
import { type Guard, type MetadataMembers, takeGuard } from './guard.ts'
import { headersOf, makeMetadata } from './protected-resource.ts'

/** Receives the request, its verified token, and what else the runtime passes. */
export type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  verified: Verified,
  ...rest: Rest
) => Response | Promise<Response>

/** The response to a refused request: status, challenge and body (RFC 6750 §3). */
export const refusalResponse = (refused: Refused): Response =>
  new Response(JSON.stringify(refused.body), { status: refused.status, headers: headersOf(refused) })

/** The token of a request, or why it is refused. Rejects with `TypeError` for a guard that is not as it should be. */
export const verifyRequest = async (
  verifier: Verifier,
  request: Request,
  ...guard: readonly [guard?: Guard<Request>]
): Promise<Verified | Refused> => verifyGuarded(verifier, request, takeGuard('verifyRequest', { verifier, guard }))

/** The metadata, if the request is for it (RFC 9728 §3) or a preflight of it; else undefined. */
export const metadataResponse = (
  verifier: Verifier,
  request: Request,
  members: MetadataMembers = {},
): Response | undefined => describeTo(makeMetadata('metadataResponse', verifier, members), request)

type Protection = Guard<Request> & { readonly metadata?: MetadataMembers }

/** Its members are checked for themselves. */
const isAnything: Kind = () => true

/**
 * A handler that serves the metadata, and calls the given one only with a verified token. Throws `TypeError` for options that are not
 * as they should be; the handler rejects where a function of the guard fails.
 */
export const protect = <Rest extends readonly unknown[]>(
  verifier: Verifier,
  handler: GuardedHandler<Rest>,
  ...guards: readonly [options?: Protection]
) => {
  const guard = takeGuard<Protection>('protect', { verifier, guard: guards }, { metadata: isAnything })
  if (isFunction(handler) !== true) throw new TypeError('protect: the second argument is not a function, the handler.')
  const metadata = makeMetadata('protect', verifier, guard.metadata)
  return async (request: Request, ...rest: Rest): Promise<Response> => {
    const described = describeTo(metadata, request)
    if (described !== undefined) return described
    const result = await verifyGuarded(verifier, request, guard)
    return result.ok ? handler(request, result, ...rest) : refusalResponse(result)
  }
}
