// Checks Mintmark's access tokens at an MCP server by the published keys alone: no request a token, and a revoked token
// passes until its `exp`.
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { OAuthTokenVerifier } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { errors } from 'jose'
import { makeCheck } from './verify-offline.ts'

export const verifyByKeys = (issuer: string, resource: URL): OAuthTokenVerifier => {
  const check = makeCheck(issuer, resource.href)
  return {
    verifyAccessToken: async token => {
      const {
        client_id: clientId,
        scope,
        exp,
      } = await check(token).catch((error: unknown) => {
        // Anything else, as that the keys cannot be read, is not the caller's fault.
        throw error instanceof errors.JOSEError ? new InvalidTokenError(error.code) : error
      })
      return { token, clientId: String(clientId), scopes: String(scope).split(' '), expiresAt: Number(exp), resource }
    },
  }
}
