// Requests and responses of Node as far as adapters need them: no types of Node, and none of a framework.
import type { Refused } from '../refusals.ts'
import type { Verified, Verifier } from '../verifier.ts'
import { addressOf, type Guard, headersOf, scopesFor } from './protected-resource.ts'

export type NodeRequest = {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The target before routers of Express shortened it. */
  readonly originalUrl?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export type NodeResponse = {
  statusCode: number
  readonly setHeader: (name: string, value: string) => unknown
  readonly end: (body: string) => unknown
}

/** Node joins a repeated header with a comma: no proof holds one, so it is refused then. */
const headerOf = ({ headers }: NodeRequest, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

export const targetOf = ({ originalUrl, url = '/' }: NodeRequest): string => originalUrl ?? url

export const verifyNodeRequest = <Request extends NodeRequest>(
  verifier: Verifier,
  request: Request,
  guard: Guard<Request>,
): Promise<Verified | Refused> =>
  verifier.authorize({
    authorization: headerOf(request, 'authorization'),
    proof: headerOf(request, 'dpop'),
    method: request.method ?? 'GET',
    url: addressOf(verifier, targetOf(request), `http://${headerOf(request, 'host') ?? ''}`),
    certificate: guard.certificate?.(request),
    scopes: scopesFor(guard, request),
  })

export const sendBody = (
  response: NodeResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void => {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(JSON.stringify(body))
}

export const sendRefusal = (response: NodeResponse, refused: Refused): void =>
  sendBody(response, refused.status, headersOf(refused), refused.body)

export type Middleware<Request extends NodeRequest = NodeRequest> = (
  request: Request,
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void

/** Calls `accept` and then the next handler with a verified token; responds itself otherwise (RFC 6750 §3). */
export const makeMiddleware =
  <Request extends NodeRequest>(
    verifier: Verifier,
    guard: Guard<Request>,
    accept: (request: Request, verified: Verified) => void,
  ): Middleware<Request> =>
  (request, response, next) => {
    const decide = async (): Promise<Verified | Refused | { readonly fault: unknown }> => {
      try {
        return await verifyNodeRequest(verifier, request, guard)
      } catch (fault) {
        return { fault }
      }
    }
    const respond = async (): Promise<void> => {
      const decided = await decide()
      if ('fault' in decided) return next(decided.fault)
      if (!decided.ok) return sendRefusal(response, decided)
      accept(request, decided)
      next()
    }
    void respond()
  }
