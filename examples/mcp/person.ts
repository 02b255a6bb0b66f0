// An agent that acts for a person. They sign in at their identity provider, which then gives the agent an ID-JAG for the
// issuer of the MCP server's tokens (MCP's enterprise-managed authorization). The token names the person and the agent.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  OAuthError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import * as oidc from 'openid-client'

const { BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', MCP_URL = 'http://127.0.0.1:3004/mcp' } = process.env
const { IDENTITY_PROVIDER = '', IDENTITY_PROVIDER_CLIENT_ID = '', IDENTITY_PROVIDER_CLIENT_SECRET = '' } = process.env

/** Ends the program with one line. */
class Refused extends Error {}

/** Listens where the provider sends the browser of the person who signed in. */
const openCallback = async (state: string) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  const { promise: callback, resolve, reject } = Promise.withResolvers<URL>()
  server.on('request', ({ url = '' }, response) => {
    const sent = URL.parse(url, redirectUri)
    // Only the browser in which this sign-in began knows the state.
    const isOurs = sent?.pathname === '/callback' && sent.searchParams.get('state') === state
    const page = isOurs ? 'Return to the terminal.\n' : 'Nothing is here.\n'
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' }).end(page)
    if (isOurs) resolve(sent)
  })
  const timer = setTimeout(reject, 300_000, new Refused('Nobody signed in within 5 minutes.'))
  const close = (): void => {
    clearTimeout(timer)
    server.close()
    server.closeAllConnections()
  }
  return { redirectUri, callback, close }
}

/** The ID token of the person who signs in (OpenID Connect, authorization code with PKCE). */
const signIn = async (): Promise<string> => {
  const options = IDENTITY_PROVIDER.startsWith('http://127.0.0.1:') ? { execute: [oidc.allowInsecureRequests] } : {}
  const secret = oidc.ClientSecretPost(IDENTITY_PROVIDER_CLIENT_SECRET)
  const provider = await oidc.discovery(new URL(IDENTITY_PROVIDER), IDENTITY_PROVIDER_CLIENT_ID, {}, secret, options)
  const [state, pkceCodeVerifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()]
  const { redirectUri, callback, close } = await openCallback(state)
  try {
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: 'openid',
      state,
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    console.log(`Sign in: ${url.href}`)
    const checks = { expectedState: state, pkceCodeVerifier, idTokenExpected: true }
    return (await oidc.authorizationCodeGrant(provider, await callback, checks)).id_token ?? ''
  } finally {
    close()
  }
}

const client = new Client({ name: 'agent', version: '1.0.0' })
try {
  const idToken = await signIn()
  const authProvider = new CrossAppAccessProvider({
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    // The server names its issuer (RFC 9728), but must not choose who gets the secret.
    expectedIssuer: BASE_URL,
    assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource }) => {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        idpUrl: IDENTITY_PROVIDER,
        clientId: IDENTITY_PROVIDER_CLIENT_ID,
        clientSecret: IDENTITY_PROVIDER_CLIENT_SECRET,
        idToken,
        audience,
        resource,
        // The token has no more than this, whatever the server asks for.
        scope: 'db:read',
      }).catch((cause: Error) => {
        throw new Refused(`The identity provider gave no ID-JAG: ${JSON.stringify(cause.message)}.`, { cause })
      })
      return jwtAuthGrant
    },
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider }))
  const { content } = await client.callTool({ name: 'list_orders', arguments: {} })
  console.log('list_orders', JSON.stringify(content))
} catch (error) {
  // What others say is quoted: a terminal obeys some of it.
  if (error instanceof OAuthError) {
    const check = `Check the agent, and whom it acts for: npx mintmark agent show ${CLIENT_ID}`
    console.error(`The token was refused: ${error.code} (${JSON.stringify(error.message)}). ${check}`)
  } else if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError)
    console.error(`The identity provider refused the sign-in: ${JSON.stringify(error.error)}.`)
  else if (error instanceof oidc.ClientError) console.error(`The sign-in failed: ${JSON.stringify(error.message)}.`)
  else if (error instanceof Refused) console.error(error.message)
  else throw error
  process.exitCode = 1
} finally {
  await client.close()
}
