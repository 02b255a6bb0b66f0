// The MCP SDK for TypeScript, unmodified, with this package for its token verifier.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { InvalidTokenError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type { OAuthTokenVerifier } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import express, { type Express } from 'express'
import { mcpTokenVerifier, requireMcpToken } from '../../src/adapters/mcp.ts'
import { usePublisher, verifierOf } from '../fixtures.ts'
import { AGENT, AUDIENCE } from '../../../../testkit/feed/reference-publisher.ts'

const publisher = usePublisher()

const serve = async (t: TestContext, app: Express): Promise<string> => {
  app.post('/mcp', (request, response) => void response.json((request as { auth?: unknown }).auth))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

const post = (address: string, token: string): Promise<Response> =>
  fetch(address, { method: 'POST', headers: { authorization: `Bearer ${token}` } })

test('the SDK’s own middleware takes it for its verifier', async t => {
  const verifier = verifierOf(t, publisher)
  await verifier.ready()
  const own: OAuthTokenVerifier = mcpTokenVerifier(verifier, { InvalidTokenError, ServerError })
  const app = express().use(
    requireBearerAuth({ verifier: own, requiredScopes: ['db:read'], expectedResource: new URL(AUDIENCE) }),
  )
  const address = await serve(t, app)
  const minted = publisher.mint({ act: { sub: 'agent-2' } })
  const response = await post(address, minted.token)
  assert.equal(response.status, 200)
  assert.deepEqual(await response.json(), {
    token: minted.token,
    clientId: AGENT,
    scopes: ['db:read', 'db:write'],
    expiresAt: minted.claims.exp,
    resource: AUDIENCE,
    extra: { subject: AGENT, act: { sub: 'agent-2' } },
  })
  const refused = await post(address, publisher.mint({ aud: 'https://other.example' }).token)
  assert.equal(refused.status, 401)
  assert.deepEqual(await refused.json(), {
    error: 'invalid_token',
    error_description: 'The access token is not valid here.',
  })
  assert.equal((await post(address, publisher.mint({ scope: 'files:read' }).token)).status, 403)
  verifier.close()
  assert.equal((await post(address, minted.token)).status, 500)
})

test('the middleware of this package says in its challenges what the SDK’s cannot', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const app = express().use(requireMcpToken(verifier, { scopes: ['db:read', 'db:admin'] }))
  const address = await serve(t, app)
  const refused = await post(address, publisher.mint().token)
  assert.equal(refused.status, 403)
  assert.match(
    refused.headers.get('www-authenticate') ?? '',
    /^Bearer error="insufficient_scope", .*scope="db:read db:admin", resource_metadata="https:\/\/api\.example\/\.well-known\/oauth-protected-resource\/v1"$/,
  )
  const { token } = publisher.mint({ scope: 'db:read db:admin' })
  const response = await post(address, token)
  assert.equal(response.status, 200)
  assert.equal(((await response.json()) as { token: string }).token, token)
  verifier.close()
  assert.equal((await post(address, token)).status, 503)
})
