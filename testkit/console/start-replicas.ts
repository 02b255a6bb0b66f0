// Two processes of the service on one PostgreSQL database behind a load balancer, with the identity provider of `dev`, for tests that
// use the console.
import assert from 'node:assert/strict'
import { CONSOLE_CLIENT_ID, fetchDevToken } from '../../server/src/dev/dev-token.ts'
import { operatorsAudienceOf } from '../../server/src/dev/identity-provider.ts'
import { TIMING } from '../../server/src/ports/timing.ts'
import { freePorts, makeFolder, run, type Scope, serveVariables, start } from '../commands/run-mintmark.ts'
import { makeTestDatabase } from '../databases/postgres-cluster.ts'
import { startDevelopmentProvider } from '../identity-providers/development-provider.ts'
import { openBalancer } from '../proxies/balancer.ts'
import { askService, type ServiceAsked } from './start-dev.ts'

/** A process of the service, by its own address. */
export type Replica = { readonly url: string }

export type RunningReplicas = ServiceAsked & {
  readonly replicas: readonly [Replica, Replica]
  /** From then on requests to the base URL go to these in turn, as at first to both. */
  readonly sendTo: (...replicas: readonly Replica[]) => void
}

export const startReplicas = async (scope: Scope): Promise<RunningReplicas> => {
  const [folder, database, balancer] = [makeFolder(scope), await makeTestDatabase(), await openBalancer()]
  scope.after(() => database.drop())
  scope.after(() => balancer.close())
  const baseUrl = `http://127.0.0.1:${balancer.port}`
  const provider = await startDevelopmentProvider(scope, baseUrl)
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
