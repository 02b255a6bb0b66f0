// In this folder: adapters to web frameworks: they read requests, apply the guard of a route and respond. The verifier decides.
// Middleware for Express, and for whatever else takes Connect's.
import type { Verified, Verifier } from '../verifier.ts'
import { type Guard, type MetadataMembers, takeGuard } from './guard.ts'
import { type NodeRequest, targetOf } from './node-request.ts'
import { isOver, makeMiddleware, type Middleware, send } from './node-response.ts'
import { makeMetadata, makeVerifiedRequests } from './protected-resource.ts'

const requests = makeVerifiedRequests()

/**
 * Calls the next handler only with a verified token; responds itself otherwise (RFC 6750 §3). A fault, such as a function `scopes`
 * that returns no list, goes to the error handler: to `next` where that takes an error, as Express's does, else the response is 500.
 * Where something else has responded meanwhile, `next` is not called. Throws `TypeError` for a guard that is not as it should be.
 */
export const requireToken = <Request extends NodeRequest>(
  verifier: Verifier,
  ...guard: readonly [guard?: Guard<Request>]
): Middleware<Request> =>
  makeMiddleware({ verifier, guard: takeGuard('requireToken', { verifier, guard }), accept: requests.note })

/** The verified token of a request. Throws where {@link requireToken} did not see it. */
export const tokenOf = (request: object): Verified => requests.of(request)

/** Serves the metadata of the protected resource (RFC 9728 §3) and responds to its preflights: mount it at the root of the server. */
export const protectedResource = (verifier: Verifier, ...members: readonly [members?: MetadataMembers]): Middleware => {
  const metadata = makeMetadata('protectedResource', verifier, ...members)
  return (request, response, next) => {
    const [path] = targetOf(request).split('?')
    const answer = path === metadata.path ? metadata.respond(request.method) : undefined
    if (answer === undefined) return void next()
    if (!isOver(response)) send(response, answer)
  }
}
