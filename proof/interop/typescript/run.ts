// The recipes in TypeScript over HTTP, against the table of requests.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OAuthTokenVerifier } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { errors } from 'jose'
import { ISSUER, ORDERS, variable } from '../requests/environment.ts'
import { holdToTable } from '../requests/run.ts'
import type { Checks } from '../requests/table.ts'
import { makeMcpApp } from './mcp-server.ts'
import { verifyByIntrospection } from './verify-by-introspection.ts'
import { verifyByKeys } from './verify-by-keys.ts'
import { bearerOf, makeCheck } from './verify-offline.ts'

const check = makeCheck(ISSUER, ORDERS)

/** The status of a request, as docs/apis/verify-node.md says. */
const statusOf = async (token: string | undefined): Promise<number> => {
  if (token === undefined) return 401
  try {
    const { scope } = await check(token)
    return String(scope).split(' ').includes('db:read') ? 200 : 403
  } catch (fault) {
    return fault instanceof errors.JOSEError ? 401 : 503
  }
}

const answerApi: RequestListener = (request, response) => {
  response.setHeader('WWW-Authenticate', 'Bearer')
  void statusOf(bearerOf(request)).then(status => response.writeHead(status).end())
}

const listen = async (): Promise<{ readonly server: Server; readonly origin: string }> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const close = (server: Server): void => {
  server.closeAllConnections()
  server.close()
}

const tryApi = async (): Promise<void> => {
  const { server, origin } = await listen()
  server.on('request', answerApi)
  try {
    await holdToTable({ address: origin, resource: ORDERS, kind: 'api', checks: 'keys' })
  } finally {
    close(server)
  }
}

const tryMcp = async (checks: Checks, makeVerifier: (resource: URL) => OAuthTokenVerifier): Promise<void> => {
  const { server, origin } = await listen()
  const resource = new URL('/mcp', origin)
  const app = await makeMcpApp(ISSUER, resource, makeVerifier(resource))
  server.on('request', (request, response) => void app(request, response))
  try {
    await holdToTable({ address: resource.href, resource: resource.href, kind: 'mcp', checks })
  } finally {
    close(server)
  }
}

await tryApi()
await tryMcp('keys', resource => verifyByKeys(ISSUER, resource))
await tryMcp('introspection', resource => verifyByIntrospection(ISSUER, resource, variable('API_KEY')))
