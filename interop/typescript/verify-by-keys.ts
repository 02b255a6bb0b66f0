// Checks Mintmark's access tokens at an MCP server by the published keys alone: no request a token, and a revoked token
// passes until its `exp`.
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { OAuthTokenVerifier } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

export const verifyByKeys = (issuer: string, resource: URL): OAuthTokenVerifier => {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))
  const expected = { issuer, audience: resource.href, typ: 'at+jwt', algorithms: ['ES256', 'RS256'] }
  return {
    verifyAccessToken: async token => {
      const { payload } = await jwtVerify(token, keys, { ...expected, requiredClaims: ['exp', 'client_id'] }).catch(
        (error: unknown) => {
          // Anything else, such as a key set that cannot be had, is not the caller's fault.
          throw error instanceof errors.JOSEError ? new InvalidTokenError(error.code) : error
        },
      )
      const clientId = String(payload['client_id'])
      const scopes = String(payload['scope']).split(' ')
      return { token, clientId, scopes, expiresAt: Number(payload.exp), resource }
    },
  }
}
