// An MCP server on streamable HTTP that takes only Mintmark's tokens for itself, and refers clients to the service that issues them.
import { discoverAuthorizationServerMetadata } from '@modelcontextprotocol/sdk/client/auth.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { OAuthTokenVerifier } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Express, RequestHandler } from 'express'

const makeExample = (): McpServer => {
  const server = new McpServer({ name: 'example', version: '1.0.0' })
  server.registerTool('whoami', { description: 'The client that calls, and for whom' }, ({ authInfo }) => ({
    content: [authInfo?.clientId ?? '', JSON.stringify(authInfo?.extra ?? {})].map(text => ({ type: 'text', text })),
  }))
  return server
}

/** Refuses two Authorization lines: the SDK reads the first, and what stands behind it may read the second. */
const refuseTwoLines: RequestHandler = ({ headersDistinct }, response, next) => {
  if ((headersDistinct['authorization']?.length ?? 0) <= 1) next()
  else response.status(400).json({ error: 'invalid_request' })
}

export const makeMcpApp = async (
  issuer: string,
  resource: URL,
  verifier: OAuthTokenVerifier,
  makeServer: () => McpServer = makeExample,
): Promise<Express> => {
  const oauthMetadata = await discoverAuthorizationServerMetadata(issuer)
  if (oauthMetadata === undefined) throw new Error(`There is no metadata at ${issuer}`)
  const app = createMcpExpressApp()
  app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl: resource }))
  const checkToken = requireBearerAuth({
    verifier,
    requiredScopes: ['db:read'],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
    expectedResource: resource,
  })
  app.post(resource.pathname, refuseTwoLines, checkToken, async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    await makeServer().connect(transport)
    await transport.handleRequest(request, response, request.body)
  })
  return app
}
