// An MCP server that calls a second one to answer, in the name of the agent that called it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'

/** Calls the second server with this token, which is for this call alone. */
const askWho = async (next: URL, token: string) => {
  const client = new Client({ name: 'relay', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(next, { requestInit }))
  try {
    return CallToolResultSchema.parse(await client.callTool({ name: 'whoami' }))
  } finally {
    await client.close()
  }
}

/** `exchange` gives a token for `next` in the place of the one that was received. */
export const makeRelay = (next: URL, exchange: (received: string, next: URL) => Promise<string>): McpServer => {
  const server = new McpServer({ name: 'relay', version: '1.0.0' })
  const description = 'Who calls, as the server behind this one sees it'
  server.registerTool('ask', { description }, async ({ authInfo }) =>
    askWho(next, await exchange(authInfo?.token ?? '', next)),
  )
  return server
}
