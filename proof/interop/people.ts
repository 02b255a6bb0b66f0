// The people for whom agents of the suites act: the real development identity provider, at which they sign in, and how the service
// trusts it.
import { calculateJwkThumbprint } from 'jose'
import { JWT_BEARER, TOKEN_EXCHANGE } from '../../api/values/delegation.ts'
import type { DevSecrets } from '../../server/src/dev/dev-secrets.ts'
import { AGENT_CLIENT_ID } from '../../server/src/dev/dev-token.ts'
import { agentAt, startDevelopmentProvider } from '../../testkit/identity-providers/development-provider.ts'
import { signInPerson } from '../../testkit/identity-providers/sign-in-person.ts'

type Provider = DevSecrets['identity_provider']

const ALIAS = 'people'
/** The subject of a program that signs its assertions itself. */
const WORKLOAD = 'reports'

/** Listens in this process until what was started is ended. */
export const startProvider = (baseUrl: string, started: AsyncDisposableStack): Promise<Provider> =>
  startDevelopmentProvider({ after: close => started.defer(async () => void (await close())) }, baseUrl)

/** Runs a command of the service. */
type Run = (...args: readonly string[]) => string

/**
 * Trusts JWTs of the provider: about people, and about a program, which is then the named agent. Returns the options of an agent that
 * acts for these people.
 */
export const trustProvider = ({ issuer }: Provider, run: Run, agentId: string): readonly string[] => {
  run('issuer', 'create', '--alias', ALIAS, '--issuer', issuer, '--type', 'id_token', 'id-jag', '--scope', 'db:read')
  run('credential', 'create', agentId, '--name', WORKLOAD, '--issuer', issuer, '--subject', WORKLOAD)
  const grants = ['--grant-type', TOKEN_EXCHANGE, JWT_BEARER]
  return [...grants, '--acts-for', `issuer:${ALIAS}`, '--issuer-client', `${ALIAS}=${AGENT_CLIENT_ID}`]
}

type Agent = { readonly client_id: string; readonly client_secret: string }

/** Lets people sign in for the agent. */
export const signPeopleIn = async (provider: Provider, agent: Agent) => {
  const { issuer, private_jwk } = provider
  const client = agentAt(provider)
  const kid = await calculateJwkThumbprint(private_jwk)
  return {
    PROVIDER: issuer,
    PROVIDER_CLIENT_ID: client.clientId,
    PROVIDER_CLIENT_SECRET: client.clientSecret,
    // An agent that acts for people.
    PERSON_CLIENT_ID: agent.client_id,
    PERSON_CLIENT_SECRET: agent.client_secret,
    // Of alice; and of bob, whom a suite may block.
    ID_TOKEN: await signInPerson(client, 'alice'),
    LEAVER_ID_TOKEN: await signInPerson(client, 'bob'),
    // With the provider's key a suite signs what a program says of itself.
    WORKLOAD_SUBJECT: WORKLOAD,
    WORKLOAD_KEY: JSON.stringify({ ...private_jwk, kid, alg: 'ES256' }),
  }
}
