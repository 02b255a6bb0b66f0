// MCP servers of a test, each on a port of its own.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** The URL of an MCP server that listens until the test ends; `makeApp` is given it. */
export const startMcpServer = async (
  t: TestContext,
  makeApp: (resource: URL) => Promise<(...request: Parameters<RequestListener>) => unknown>,
): Promise<URL> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const resource = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  const app = await makeApp(resource)
  server.on('request', (request, response) => void app(request, response))
  t.after(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return resource
}
