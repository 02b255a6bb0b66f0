// Checks Mintmark's access tokens at an MCP server by asking Mintmark: a revoked token is refused at once.
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { OAuthTokenVerifier } from '@modelcontextprotocol/sdk/server/auth/provider.js'

type Introspection = {
  readonly active: boolean
  readonly client_id: string
  readonly sub: string
  /** Who acts for `sub`, the last one outermost; absent where it acts itself. */
  readonly act?: { readonly sub: string }
  readonly scope: string
  readonly exp: number
  readonly aud: string | readonly string[]
  /** The key to which the token is bound; absent where anybody may send it. */
  readonly cnf?: object
}

/** The API key carries the permission `tokens:introspect`, best one that is limited to this resource. */
export const verifyByIntrospection = (issuer: string, resource: URL, apiKey: string): OAuthTokenVerifier => ({
  verifyAccessToken: async token => {
    const response = await fetch(`${issuer}/oauth/introspect/v2`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey },
      body: new URLSearchParams({ token }),
    })
    if (!response.ok) throw new Error(`Introspection answered ${response.status}`)
    const found = (await response.json()) as Introspection
    if (!found.active) throw new InvalidTokenError('The token is not active')
    if (![found.aud].flat().includes(resource.href)) throw new InvalidTokenError('The token is for another resource')
    // Without proof of its key it may be stolen.
    if (found.cnf !== undefined) throw new InvalidTokenError('The token is bound to a key')
    const extra = { subject: found.sub, ...(found.act !== undefined && { act: found.act }) }
    return { token, clientId: found.client_id, scopes: found.scope.split(' '), expiresAt: found.exp, resource, extra }
  },
})
