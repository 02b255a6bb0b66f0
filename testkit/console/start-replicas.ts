// Two processes of the service on one PostgreSQL database behind a load balancer, with the identity provider of `dev`, for tests that
// use the console.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { CONSOLE_CLIENT_ID, fetchDevToken, issuerAt } from '../../server/src/dev/dev-token.ts'
import { makeDevSecrets } from '../../server/src/dev/dev-secrets.ts'
import { makeIdentityProvider, operatorsAudienceOf } from '../../server/src/dev/identity-provider.ts'
import { TIMING } from '../../server/src/ports/timing.ts'
import { freePorts, makeFolder, run, type Scope, serveVariables, start } from '../commands/run-mintmark.ts'
import { makeTestDatabase } from '../databases/postgres-cluster.ts'
import { openBalancer } from '../proxies/balancer.ts'
import { freePort } from '../processes/free-port.ts'
import { askService, type ServiceAsked } from './start-dev.ts'

/** A process of the service, by its own address. */
export type Replica = { readonly url: string }

export type RunningReplicas = ServiceAsked & {
  readonly replicas: readonly [Replica, Replica]
  /** From then on requests to the base URL go to these in turn, as at first to both. */
  readonly sendTo: (...replicas: readonly Replica[]) => void
}

const startProvider = async (scope: Scope, baseUrl: string) => {
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

export const startReplicas = async (scope: Scope): Promise<RunningReplicas> => {
  const [folder, database, balancer] = [makeFolder(scope), await makeTestDatabase(), await openBalancer()]
  scope.after(() => database.drop())
  scope.after(() => balancer.close())
  const baseUrl = `http://127.0.0.1:${balancer.port}`
  const provider = await startProvider(scope, baseUrl)
  const ports = await freePorts()
  const variablesOf = (port: number) => ({
    ...serveVariables(port),
    DATABASE_URL: database.url,
    MINTMARK_ALLOW_UNSAFE_DATABASE: 'fsync,full_page_writes',
    MINTMARK_BASE_URL: baseUrl,
    MINTMARK_IDP_ISSUER: provider.issuer,
    MINTMARK_IDP_AUDIENCE: operatorsAudienceOf(baseUrl),
    MINTMARK_CONSOLE_CLIENT_ID: CONSOLE_CLIENT_ID,
    MINTMARK_CONSOLE_CLIENT_SECRET: provider.client_secret,
  })
  const migrated = run(folder, ['migrate'], variablesOf(ports[0]))
  assert.equal(migrated.status, 0, migrated.stderr)
  for (const port of ports) {
    await start(scope, makeFolder(scope), {
      args: ['serve'],
      variables: variablesOf(port),
      ready: /another audience\.\n/,
    })
  }
  const sendTo = (...replicas: readonly Replica[]): void =>
    balancer.sendTo(replicas.map(({ url }) => Number(new URL(url).port)))
  const replicas = [{ url: `http://127.0.0.1:${ports[0]}` }, { url: `http://127.0.0.1:${ports[1]}` }] as const
  sendTo(...replicas)
  const asked = askService(baseUrl, await fetchDevToken(provider, 'admin', TIMING))
  return { ...asked, replicas, sendTo }
}
