// Every kind of credential with which a request can come, by the columns of access.md.
import assert from 'node:assert/strict'
import { PERMISSIONS, ROLES } from '../../api/values/access.ts'
import { admin, call, type Headers, operator } from './administration.ts'
import { basic, bearer, issue } from './requests.ts'
import { type AgentOfTest, AUDIENCE, type TestServer } from '../services/test-server.ts'

export type Scheme = 'nothing' | 'ApiKey' | 'Basic' | 'Bearer'

export type Credential = { readonly who: string; readonly scheme: Scheme; readonly headers: Headers }

/** The credentials of each column, in the order of the table. */
export type Callers = ReadonlyMap<string, readonly Credential[]>

const ofKey = (who: string, key: string): Credential => ({ who, scheme: 'ApiKey', headers: { 'x-api-key': key } })

const ofJwt = (who: string, jwt: string): Credential => ({ who, scheme: 'Bearer', headers: bearer(jwt) })

/** Every permission that a limited key may have. */
const OF_AN_AUDIENCE = ['tokens:introspect', 'tokens:read', 'tokens:revoke', 'agents:read']

type CreatedKey = { readonly api_key: string }

const createKey = async (service: TestServer, settings: object): Promise<string> => {
  const body = { name: 'of a caller', permissions: PERMISSIONS, ...settings }
  const answer = await call(service, { method: 'POST', path: '/api/v1/api-keys', body }, await admin(service))
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as CreatedKey).api_key
}

const expiredKey = async (service: TestServer): Promise<string> => {
  const key = await createKey(service, { expires_at: new Date(service.clock.wall() + 1000).toISOString() })
  service.clock.advance(1000)
  return key
}

const revokedKey = async (service: TestServer): Promise<string> => {
  const { id, key } = await service.createApiKey('agents:write')
  await service.revokeApiKey(id)
  return key
}

const unrecognized = async (service: TestServer, agent: AgentOfTest): Promise<readonly Credential[]> => [
  { who: 'nobody', scheme: 'nothing', headers: {} },
  ofKey('a wrong API key', 'mma_wrong'),
  ofKey('a secret of an agent as an API key', agent.clientSecret),
  ofKey('an expired API key', await expiredKey(service)),
  ofKey('a revoked API key', await revokedKey(service)),
  ofJwt('an agent’s own access token', await issue(service, agent)),
  ofJwt(
    'a JWT of a foreign issuer',
    await service.provider.operatorJwt({ iss: 'https://elsewhere.example', role: 'mintmark-admin' }),
  ),
  ofJwt(
    'a JWT for another service',
    await service.provider.operatorJwt({ aud: 'https://elsewhere.example', role: 'mintmark-admin' }),
  ),
]

export const makeCallers = async (service: TestServer, agent: AgentOfTest): Promise<Callers> => {
  const callers = new Map<string, readonly Credential[]>([['none', await unrecognized(service, agent)]])
  const add = (column: string, credential: Credential): void => void callers.set(column, [credential])
  const client = { scheme: 'Basic', headers: basic(agent.clientId, agent.clientSecret) } as const
  add('client', { who: 'a client by HTTP Basic', ...client })
  for (const permission of PERMISSIONS) {
    const { key } = await service.createApiKey(permission)
    add(`\`${permission}\``, ofKey(`an API key with ${permission} alone`, key))
  }
  const limited = await createKey(service, { audiences: [AUDIENCE], permissions: OF_AN_AUDIENCE })
  add('limited key', ofKey('an API key that is limited to an audience', limited))
  const stranger = await service.provider.operatorJwt({ role: 'mintmark-nobody' })
  add('no role', ofJwt('an operator without a role', stranger))
  for (const role of ROLES) {
    add(role, { who: `an operator who is ${role}`, scheme: 'Bearer', headers: await operator(service, role) })
  }
  return callers
}
