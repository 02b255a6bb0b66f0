// An agent that calls an MCP server: the SDK asks the server who issues its tokens, and gets one from there.
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export const makeProvider = (expectedIssuer: string, clientId: string, clientSecret: string): OAuthClientProvider =>
  new ClientCredentialsProvider({ expectedIssuer, clientId, clientSecret })

export const connect = async (resource: URL, authProvider: OAuthClientProvider): Promise<Client> => {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(resource, { authProvider }))
  return client
}
