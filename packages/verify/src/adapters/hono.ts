// Middleware for Hono.
import type { Verified, Verifier } from '../verifier.ts'
import { metadataResponse, refusalResponse, verifyRequest } from './fetch.ts'
import { type Guard, makeVerifiedRequests, type MetadataMembers } from './protected-resource.ts'

/** What is needed of Hono's context. */
export type HonoContext = { readonly req: { readonly raw: Request } }

type Next = () => Promise<void>

const requests = makeVerifiedRequests()

/** The next handler runs only with a verified token. */
export const requireToken =
  (verifier: Verifier, guard: Guard<Request> = {}) =>
  async (context: HonoContext, next: Next): Promise<Response | undefined> => {
    const result = await verifyRequest(verifier, context.req.raw, guard)
    if (!result.ok) return refusalResponse(result)
    requests.note(context, result)
    await next()
    return undefined
  }

/** The verified token of a request. Throws where {@link requireToken} did not see it. */
export const tokenOf = (context: object): Verified => requests.of(context)

/** Serves the metadata of the protected resource (RFC 9728 §3): use it for all paths. */
export const protectedResource =
  (verifier: Verifier, members?: MetadataMembers) =>
  async (context: HonoContext, next: Next): Promise<Response | undefined> => {
    const described = metadataResponse(verifier, context.req.raw, members)
    if (described !== undefined) return described
    await next()
    return undefined
  }
