// A program: node-oidc-provider as its documentation sets it up for client credentials, to be measured against.
// In-memory adapter, resource indicators, JWT access tokens signed with ES256. Argument: the client's secret.
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Configuration } from 'oidc-provider'
import { loadOidcProvider } from '../../../server/src/dev/load-oidc-provider.ts'

const AUDIENCE = 'https://api.example.com'
const LIFETIME_SECONDS = 7200

const configure = (clientSecret: string): Configuration => ({
  clients: [
    {
      client_id: 'bench',
      client_secret: clientSecret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => AUDIENCE,
      getResourceServerInfo: () => ({
        scope: 'db:read db:write',
        audience: AUDIENCE,
        accessTokenTTL: LIFETIME_SECONDS,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  jwks: {
    keys: [
      {
        ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
        alg: 'ES256',
        use: 'sig',
      },
    ],
  },
  ttl: { ClientCredentials: LIFETIME_SECONDS },
})

const { default: Provider } = await loadOidcProvider()
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const answer = new Provider(`http://127.0.0.1:${port}`, configure(process.argv[2] ?? '')).callback()
server.on('request', (request, response) => void answer(request, response))
process.stdout.write(`ready on ${port}\n`)
process.once('SIGTERM', () => process.exit(0))
