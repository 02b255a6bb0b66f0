// An MCP server on streamable HTTP: the tool list_orders needs the scope db:read, add_order needs db:write.
import { hostname } from 'node:os'
import { createVerifier } from '@mintmark/verify'
import { protectedResource } from '@mintmark/verify/express'
import { requireMcpToken } from '@mintmark/verify/mcp'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express, { type Request } from 'express'

const { BASE_URL = '', ADMIN_API_KEY = '', PORT = '3004' } = process.env
const HOST = '127.0.0.1'

const verifier = createVerifier({
  issuer: BASE_URL,
  audience: `http://${HOST}:${PORT}/mcp`,
  apiKey: ADMIN_API_KEY,
  maxStaleness: 5,
  // How operators see this process: one of its own for each.
  name: `mcp-orders-${hostname()}-${process.pid}`,
  hooks: { failed: problem => console.error(problem) },
})

const orders = ['tea']
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

const makeServer = (): McpServer => {
  const server = new McpServer({ name: 'orders', version: '1.0.0' })
  server.registerTool('list_orders', { description: 'All orders' }, ({ authInfo }) => {
    // `act` says that the agent acts for `subject`.
    const { act, subject } = authInfo?.extra ?? {}
    const forWhom = act === undefined ? '' : ` for ${String(subject)}`
    return text(`${orders.join(', ')}; asked by ${authInfo?.clientId}${forWhom}`)
  })
  server.registerTool('add_order', { description: 'Adds an order' }, () => text(`${orders.push('tea')} orders`))
  return server
}

// A step-up challenge is an HTTP response, so the scope of a tool is checked before the SDK reads the call. A request
// may be a batch of calls: it needs the scopes of all of them.
const scopesOf = ({ body }: Request): readonly string[] => {
  const messages: readonly unknown[] = [body].flat()
  return messages.some(message => toolOf(message) === 'add_order') ? ['db:read', 'db:write'] : ['db:read']
}

const toolOf = (message: unknown): unknown =>
  (message as { readonly params?: { readonly name?: unknown } } | null | undefined)?.params?.name

const app = express()
// Express shows callers where an error was thrown, unless this is so.
app.set('env', 'production')
app.use(protectedResource(verifier, { scopes_supported: ['db:read', 'db:write'] }))
app.use(express.json())
app.post('/mcp', requireMcpToken(verifier, { scopes: scopesOf }), async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.once('close', () => void transport.close())
  await makeServer().connect(transport)
  await transport.handleRequest(request, response, request.body)
})

await verifier.ready()
const server = app.listen(Number(PORT), HOST, problem => {
  // Express calls with the error too, as of a port that is in use.
  if (problem !== undefined) throw problem
  console.log(`Listening on ${verifier.resource.audience}`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    verifier.close()
    server.close()
    server.closeAllConnections()
  })
}
