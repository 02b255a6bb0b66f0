// For servers of the Model Context Protocol with its TypeScript SDK: a token verifier, and a middleware that sends the
// challenges which the SDK's own cannot: of a step up, of DPoP, and 503 with Retry-After.
import { audiencesOf } from '../tokens/claims.ts'
import type { Verified, Verifier } from '../verifier.ts'
import { checkVerifier, GUARD_NAMES, type Guard, takeGuard } from './guard.ts'
import type { NodeRequest } from './node-request.ts'
import { makeMiddleware, type Middleware } from './node-response.ts'

/** The token as the SDK passes it to tools. */
export type CheckedToken = {
  token: string
  clientId: string
  scopes: string[]
  expiresAt: number
  resource?: URL
  /** `subject`; and `act` of a token that was got by exchange. */
  extra: Record<string, unknown>
}

/** The SDK's classes of errors, from `@modelcontextprotocol/sdk/server/auth/errors.js`: it knows refusals by them. */
export type McpErrors = {
  readonly InvalidTokenError: new (message: string) => Error
  readonly ServerError: new (message: string) => Error
}

const authInfoOf = ({ resource }: Verifier, token: string, { claims, scopes }: Verified): CheckedToken => {
  const isOurs = audiencesOf(claims).includes(resource.audience) && URL.canParse(resource.audience)
  return {
    token,
    clientId: claims.client_id,
    scopes: [...scopes],
    expiresAt: claims.exp,
    ...(isOurs && { resource: new URL(resource.audience) }),
    extra: { subject: claims.sub, ...(claims.act !== undefined && { act: claims.act }) },
  }
}

/** It takes no guard: `requireBearerAuth` of the SDK demands scopes. One beside the classes, or among them, would demand nothing. */
const checkNoGuard = (errors: McpErrors, ...guards: readonly unknown[]): void => {
  if (typeof errors !== 'object' || errors === null)
    throw new TypeError('mcpTokenVerifier: the errors are not an object with the classes of the SDK.')
  // The module of the classes has many, and tables; no list.
  const isGuard =
    guards.length > 0 || GUARD_NAMES.some(name => name in errors) || Object.values(errors).some(Array.isArray)
  if (!isGuard) return
  throw new TypeError('mcpTokenVerifier: it takes no guard. Give requiredScopes to requireBearerAuth of the SDK.')
}

/** Makes a verifier for `requireBearerAuth` of the SDK: bearer tokens. A token that is bound to a key or a certificate is refused. */
export const mcpTokenVerifier = (verifier: Verifier, ...given: readonly [errors: McpErrors]) => {
  checkVerifier('mcpTokenVerifier', verifier)
  checkNoGuard(...given)
  const [errors] = given
  const { InvalidTokenError, ServerError } = errors
  for (const [name, value] of Object.entries({ InvalidTokenError, ServerError })) {
    if (typeof value !== 'function')
      throw new TypeError(`mcpTokenVerifier: ${name} is not a class of errors of the SDK.`)
  }
  return {
    verifyAccessToken: async (token: string): Promise<CheckedToken> => {
      const result = await verifier.verify(token)
      if (result.ok) return authInfoOf(verifier, token, result)
      const { error_description: description } = result.body
      throw result.status === 503 ? new ServerError(description) : new InvalidTokenError(description)
    },
  }
}

const SCHEME = /^\S+ +/

/**
 * Replaces `requireBearerAuth`: sets `auth` of the request as that does, and accepts DPoP too. Faults and guards are as with
 * `requireToken` of the adapter for Express.
 */
export const requireMcpToken = <Request extends NodeRequest>(
  verifier: Verifier,
  ...guard: readonly [guard?: Guard<Request>]
): Middleware<Request> =>
  makeMiddleware({
    verifier,
    guard: takeGuard('requireMcpToken', { verifier, guard }),
    accept: (request, verified) => {
      const token = String(request.headers['authorization']).replace(SCHEME, '')
      Object.assign(request, { auth: authInfoOf(verifier, token, verified) })
    },
  })
