// Middleware for Hono.
import type { Verified, Verifier } from '../verifier.ts'
import { refusalResponse } from './fetch.ts'
import { describeTo, verifyGuarded } from './fetch-request.ts'
import { type Guard, type MetadataMembers, takeGuard } from './guard.ts'
import { EXPOSE, exposedBeside, makeMetadata, makeVerifiedRequests } from './protected-resource.ts'

/** What is needed of Hono's context. */
export type HonoContext = { readonly req: { readonly raw: Request }; readonly res: Response }

type Next = () => Promise<void>

const requests = makeVerifiedRequests()

/**
 * The next handler runs only with a verified token. A fault, such as a function `scopes` that returns no list, is thrown to Hono's
 * error handler. Throws `TypeError` for a guard that is not as it should be.
 */
export const requireToken = (verifier: Verifier, ...guard: readonly [guard?: Guard<Request>]) => {
  const taken = takeGuard<Guard<Request>>('requireToken', { verifier, guard })
  return async (context: HonoContext, next: Next): Promise<Response | undefined> => {
    const result = await verifyGuarded(verifier, context.req.raw, taken)
    if (result.ok) {
      requests.note(context, result)
      await next()
      return undefined
    }
    const response = refusalResponse(result)
    // Hono sets what earlier middleware set, such as that for CORS, in place of what the response has.
    const { headers } = context.res
    const exposed = headers.get(EXPOSE)
    if (exposed !== null && response.headers.has(EXPOSE)) headers.set(EXPOSE, exposedBeside(exposed))
    return response
  }
}

/** The verified token of a request. Throws where {@link requireToken} did not see it. */
export const tokenOf = (context: object): Verified => requests.of(context)

/** Serves the metadata of the protected resource (RFC 9728 §3) and responds to its preflights: use it for all paths. */
export const protectedResource = (verifier: Verifier, ...members: readonly [members?: MetadataMembers]) => {
  const metadata = makeMetadata('protectedResource', verifier, ...members)
  return async (context: HonoContext, next: Next): Promise<Response | undefined> => {
    const described = describeTo(metadata, context.req.raw)
    if (described !== undefined) return described
    await next()
    return undefined
  }
}
