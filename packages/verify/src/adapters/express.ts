// Middleware for Express, and for whatever else takes Connect's.
import type { Verified, Verifier } from '../verifier.ts'
import { makeMiddleware, type Middleware, type NodeRequest, sendBody, targetOf } from './node-request.ts'
import {
  type Guard,
  makeVerifiedRequests,
  METADATA_HEADERS,
  type MetadataMembers,
  metadataOf,
  metadataPathOf,
} from './protected-resource.ts'

const requests = makeVerifiedRequests()

/** Calls the next handler only with a verified token; responds itself otherwise (RFC 6750 §3). */
export const requireToken = <Request extends NodeRequest>(
  verifier: Verifier,
  guard: Guard<Request> = {},
): Middleware<Request> => makeMiddleware(verifier, guard, requests.note)

/** The verified token of a request. Throws where {@link requireToken} did not see it. */
export const tokenOf = (request: object): Verified => requests.of(request)

/** Serves the metadata of the protected resource (RFC 9728 §3): mount it at the root of the server. */
export const protectedResource =
  (verifier: Verifier, members?: MetadataMembers): Middleware =>
  (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const [path] = targetOf(request).split('?')
    if (!isRead || path !== metadataPathOf(verifier)) return next()
    sendBody(response, 200, METADATA_HEADERS, metadataOf(verifier, members))
  }
