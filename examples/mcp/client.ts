// An agent that calls the tools: it learns from the server who issues its tokens, and gets a token with another scope
// when the server asks for it.
import { createTokenSource, TokenRefused, type TokenSource } from '@mintmark/client'
import { discoverOAuthProtectedResourceMetadata } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', MCP_URL = 'http://127.0.0.1:3004/mcp' } = process.env

// The server names its issuer (RFC 9728). The agent sends its secret to the issuer that it was configured with, and to
// no other: a server must not choose who gets the secret.
const { resource, authorization_servers = [] } = await discoverOAuthProtectedResourceMetadata(MCP_URL)
if (resource !== MCP_URL || !authorization_servers.includes(BASE_URL)) {
  throw new Error(
    `${MCP_URL} takes tokens for ${resource} from ${authorization_servers.join(', ')}, not from ${BASE_URL}`,
  )
}

/** What the agent lets a server ask for, whatever the server names. */
const STEP_UP = ['db:read', 'db:write']

const sourceFor = (scopes: readonly string[]): TokenSource =>
  createTokenSource({ issuer: BASE_URL, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, resource, scopes })

let source = sourceFor(['db:read'])

/** Sends a request; after `insufficient_scope` once more, with a token of the scopes that the challenge names (RFC 6750 §3.1). */
const send = async (input: string | URL, init?: RequestInit): Promise<Response> => {
  const response = await source.fetch(input, init)
  const challenge = response.headers.get('www-authenticate') ?? ''
  if (response.status !== 403 || !challenge.includes('error="insufficient_scope"')) return response
  const scopes = /\bscope="([^"]*)"/.exec(challenge)?.[1]?.split(' ') ?? []
  if (scopes.length === 0 || !scopes.every(scope => STEP_UP.includes(scope))) return response
  console.log(`Step up to ${scopes.join(' ')}`)
  await response.body?.cancel()
  source = sourceFor(scopes)
  return source.fetch(input, init)
}

const client = new Client({ name: 'agent', version: '1.0.0' })
try {
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { fetch: send }))
  for (const name of ['list_orders', 'add_order']) {
    const { content } = await client.callTool({ name, arguments: {} })
    console.log(name, JSON.stringify(content))
  }
} catch (error) {
  if (!(error instanceof TokenRefused)) throw error
  console.error(`${error.message} Check the agent and its secret: npx mintmark agent show ${CLIENT_ID}`)
  process.exitCode = 1
} finally {
  await client.close()
}
