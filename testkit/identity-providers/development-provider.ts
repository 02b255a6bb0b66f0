// The development identity provider in the process of a test, on a port of its own.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type DevSecrets, makeDevSecrets } from '../../server/src/dev/dev-secrets.ts'
import { AGENT_CLIENT_ID, agentSecretOf, issuerAt } from '../../server/src/dev/dev-token.ts'
import { makeIdentityProvider } from '../../server/src/dev/identity-provider.ts'
import type { Scope } from '../commands/run-mintmark.ts'
import { freePort } from '../processes/free-port.ts'
import type { AgentAtProvider } from './sign-in-person.ts'

type Secrets = DevSecrets['identity_provider']

/** Starts one for the service at the base URL; it is closed at the end of the scope. */
export const startDevelopmentProvider = async (scope: Scope, baseUrl: string): Promise<Secrets> => {
  const port = await freePort()
  const { identity_provider: secrets } = makeDevSecrets(issuerAt(port))
  const { private_jwk: privateJwk, client_secret: clientSecret } = secrets
  const server = createServer(await makeIdentityProvider({ port, baseUrl, privateJwk, clientSecret }))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  scope.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return secrets
}

/** The client of agents there. */
export const agentAt = ({ issuer, client_secret }: Secrets): AgentAtProvider => ({
  issuer,
  clientId: AGENT_CLIENT_ID,
  clientSecret: agentSecretOf(client_secret),
})
