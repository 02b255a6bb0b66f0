// A request of every operation that succeeds once its caller may make it, by the rows of access.md.
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { methodOf, pathOf } from '../../api/operation.ts'
import { OPERATIONS as ROWS } from '../../api/operations.ts'
import { admin, call, type Call, type Headers } from './administration.ts'
import { type Answer, bearer, claimsOf, FORM, issue, send } from './requests.ts'
import { signIn } from './sessions.ts'
import { type AgentOfTest, AUDIENCE, type TestServer } from '../services/test-server.ts'

export type World = {
  readonly service: TestServer
  /** Who asks, where a client does. */
  readonly client: AgentOfTest
}

/** A request with a form where it has `form`; else with a JSON body where it has `body`. */
export type OperationRequest = Call & { readonly form?: Readonly<Record<string, string>> }

type Made = Readonly<Record<string, unknown>>

type MakeRequest = (world: World) => OperationRequest | Promise<OperationRequest>

const GRACE = { grace_seconds: 60 }

export const sendAs = (service: TestServer, request: OperationRequest, headers: Headers): Promise<Answer> => {
  const { form, method, path } = request
  if (form === undefined) return call(service, request, headers)
  return send(service, { method, path, headers: { ...FORM, ...headers }, body: new URLSearchParams(form).toString() })
}

const make = async (service: TestServer, path: string, body: object): Promise<Made> => {
  const answer = await call(service, { method: 'POST', path, body }, await admin(service))
  assert.equal(answer.status, 201, answer.text)
  return answer.json as Made
}

let names = 0

const newName = (): string => {
  names += 1
  return `of an operation ${names}`
}

const agentPath = async ({ service }: World): Promise<string> =>
  `/api/v1/agents/${(await service.createAgent()).agentId}`

const disabledAgentPath = async ({ service }: World): Promise<string> => {
  const { agentId } = await service.createAgent()
  await service.disableAgent(agentId)
  return `/api/v1/agents/${agentId}`
}

const newCredential = { name: 'second' }

const credentialPath = async (world: World): Promise<string> => {
  const path = `${await agentPath(world)}/credentials`
  const { credential_id } = await make(world.service, path, newCredential)
  return `${path}/${String(credential_id)}`
}

// No more powers than the weakest key that may make keys has.
const newApiKey = { name: 'made', permissions: ['keys:write'] }

const apiKeyPath = async ({ service }: World): Promise<string> =>
  `/api/v1/api-keys/${String((await make(service, '/api/v1/api-keys', newApiKey))['api_key_id'])}`

/** Its keys are not looked for: they stand at an address. */
const newIssuer = () => {
  const alias = newName().replaceAll(' ', '-')
  const issuer = `https://${alias}.example`
  return { alias, issuer, jwks_uri: `${issuer}/jwks`, token_types: ['id_token'], scope: 'db:read' }
}

const issuerPath = async ({ service }: World): Promise<string> =>
  `/api/v1/issuers/${String((await make(service, '/api/v1/issuers', newIssuer()))['alias'])}`

const SUBJECT = { sub: 'alice' }

/** One to which this was done. */
const issuerPathAfter =
  (act: string, body?: object) =>
  async (world: World): Promise<string> => {
    const path = await issuerPath(world)
    const { service } = world
    await call(service, { method: 'POST', path: path + act, body }, await admin(service))
    return path
  }

const tokenPath = async ({ service, client }: World): Promise<string> =>
  `/api/v1/tokens/${String(claimsOf(await issue(service, client))['jti'])}`

const newSigningKey = (): { readonly private_key: object } => ({
  private_key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
})

const signingKeyPath = async ({ service }: World): Promise<string> =>
  `/api/v1/keys/${String((await make(service, '/api/v1/keys/import', newSigningKey()))['kid'])}`

const sessionPath = async ({ service }: World): Promise<string> => {
  await signIn(service)
  const answer = await call(service, { method: 'GET', path: '/api/v1/sessions' }, await admin(service))
  const { data } = answer.json as { readonly data: readonly { readonly id: string }[] }
  return `/api/v1/sessions/${data.at(-1)?.id}`
}

const newRevocation = { audience: AUDIENCE, scope: 'none:none' }

const revocationPath = async ({ service }: World): Promise<string> =>
  `/api/v1/revocations/${String((await make(service, '/api/v1/revocations', newRevocation))['id'])}`

const get =
  (path: string): MakeRequest =>
  () => ({ method: 'GET', path })

const preflight =
  (path: string): MakeRequest =>
  () => ({ method: 'OPTIONS', path })

const at =
  (method: string, makePath: (world: World) => Promise<string>, rest = '', body?: unknown): MakeRequest =>
  async world => ({ method, path: (await makePath(world)) + rest, body })

const withToken =
  (path: string): MakeRequest =>
  async ({ service, client }) => ({ method: 'POST', path, form: { token: await issue(service, client) } })

const METADATA = ['jwks.json', 'oauth-authorization-server', 'openid-configuration'].map(name => `/.well-known/${name}`)

/** The operations that read and have no parameter in their path: they need no more than their row. */
const READS = ROWS.filter(row => methodOf(row) === 'GET' && !pathOf(row).includes('{'))

const FEED = '/oauth/revocation-feed'

const readHead = async (service: World['service'], key: string) => {
  const { json } = await send(service, { path: FEED, headers: { 'x-api-key': key } })
  return json as { readonly epoch: string; readonly position: number }
}

const fromStart =
  (name: string) =>
  async ({ service }: World): Promise<string> => {
    const { key } = await service.createApiKey('tokens:introspect')
    return `${FEED}/${name}?epoch=${(await readHead(service, key)).epoch}&position=0`
  }

/** A segment, which there is once something has ended. */
const segmentPath = async ({ service, client }: World): Promise<string> => {
  const { key } = await service.createApiKey('tokens:introspect')
  await send(service, {
    method: 'POST',
    path: '/oauth/revoke',
    headers: { ...FORM, ...bearer(await service.provider.operatorJwt()) },
    body: new URLSearchParams({ token: await issue(service, client) }).toString(),
  })
  const { epoch, position } = await readHead(service, key)
  return `${FEED}/segments/${epoch}/0-${position}`
}

export const OPERATIONS: Readonly<Record<string, MakeRequest>> = {
  ...Object.fromEntries(READS.map(row => [row.route, get(pathOf(row))])),
  'POST /oauth/token': () => ({ method: 'POST', path: '/oauth/token', form: { grant_type: 'client_credentials' } }),
  'POST /oauth/introspect/v2': withToken('/oauth/introspect/v2'),
  'POST /oauth/revoke': withToken('/oauth/revoke'),
  'POST /oauth/global-token-revocation': () => ({
    method: 'POST',
    path: '/oauth/global-token-revocation',
    body: { sub_id: { format: 'iss_sub', iss: 'https://idp.example', sub: 'alice' } },
  }),
  'GET /oauth/revocation-feed/segments/{epoch}/{range}': at('GET', segmentPath),
  'GET /oauth/revocation-feed/changes': at('GET', fromStart('changes')),
  'GET /oauth/revocation-feed/stream': at('GET', fromStart('stream')),
  'POST /oauth/revocation-feed/positions': () => ({
    method: 'POST',
    path: `${FEED}/positions`,
    body: { name: newName(), epoch: 'of-long-ago', position: 7, uses: [] },
  }),
  'GET /api/v1/tokens/{id}': at('GET', tokenPath),
  'GET /api/v1/tokens/{id}/lineage': at('GET', tokenPath, '/lineage'),
  'GET /api/v1/tokens/{id}/explain': at('GET', tokenPath, '/explain'),
  'POST /api/v1/tokens/explain': async ({ service, client }) => ({
    method: 'POST',
    path: '/api/v1/tokens/explain',
    body: { token: await issue(service, client) },
  }),
  'POST /api/v1/tokens/{id}/revoke': at('POST', tokenPath, '/revoke', {}),
  'POST /api/v1/revocations': () => ({ method: 'POST', path: '/api/v1/revocations', body: newRevocation }),
  'GET /api/v1/revocations/{id}': at('GET', revocationPath),
  'POST /api/v1/leaked-secrets': async ({ service }) => ({
    method: 'POST',
    path: '/api/v1/leaked-secrets',
    body: [{ token: (await service.createAgent()).clientSecret }],
  }),
  'DELETE /api/v1/sessions/{id}': at('DELETE', sessionPath),
  'POST /api/v1/managed/plan': () => ({
    method: 'POST',
    path: '/api/v1/managed/plan',
    body: { set: 'some', documents: [{ kind: 'agent', name: newName(), scope: 'db:read' }] },
  }),
  // What is not there needs no plan to be gone.
  'POST /api/v1/managed/apply': () => ({
    method: 'POST',
    path: '/api/v1/managed/apply',
    body: { set: 'some', document: { kind: 'removal', of: 'agent', id: randomUUID() }, plan_id: 'none' },
  }),
  'GET /api/v1/managed': () => ({ method: 'GET', path: '/api/v1/managed?set=some' }),
  'POST /api/v1/imports': () => ({
    method: 'POST',
    path: '/api/v1/imports',
    body: { agents: [{ client_id: newName().replaceAll(' ', '-'), name: newName(), scope: 'db:read' }] },
  }),
  'POST /api/v1/agents': () => ({
    method: 'POST',
    path: '/api/v1/agents',
    body: { name: newName(), scope: 'db:read' },
  }),
  'GET /api/v1/agents/{id}': at('GET', agentPath),
  'GET /api/v1/agents/{id}/delegation': at('GET', agentPath, '/delegation'),
  'PATCH /api/v1/agents/{id}': at('PATCH', agentPath, '', { owner: 'somebody' }),
  'DELETE /api/v1/agents/{id}': at('DELETE', agentPath),
  'POST /api/v1/agents/{id}/disable': at('POST', agentPath, '/disable'),
  'POST /api/v1/agents/{id}/enable': at('POST', disabledAgentPath, '/enable'),
  'GET /api/v1/agents/{agent_id}/credentials': at('GET', agentPath, '/credentials'),
  'POST /api/v1/agents/{agent_id}/credentials': at('POST', agentPath, '/credentials', newCredential),
  'GET /api/v1/agents/{agent_id}/credentials/{credential_id}': at('GET', credentialPath),
  'POST /api/v1/agents/{agent_id}/credentials/{credential_id}/rotate': at('POST', credentialPath, '/rotate', GRACE),
  'POST /api/v1/agents/{agent_id}/credentials/{credential_id}/revoke': at('POST', credentialPath, '/revoke', {}),
  'POST /api/v1/api-keys': () => ({ method: 'POST', path: '/api/v1/api-keys', body: newApiKey }),
  'GET /api/v1/api-keys/{api_key_id}': at('GET', apiKeyPath),
  'POST /api/v1/api-keys/{api_key_id}/rotate': at('POST', apiKeyPath, '/rotate', GRACE),
  'POST /api/v1/api-keys/{api_key_id}/revoke': at('POST', apiKeyPath, '/revoke', {}),
  'POST /api/v1/issuers': () => ({ method: 'POST', path: '/api/v1/issuers', body: newIssuer() }),
  'GET /api/v1/issuers/{alias}': at('GET', issuerPath),
  'PATCH /api/v1/issuers/{alias}': at('PATCH', issuerPath, '', { lifetime_seconds: 60 }),
  'DELETE /api/v1/issuers/{alias}': at('DELETE', issuerPath),
  'POST /api/v1/issuers/{alias}/disable': at('POST', issuerPath, '/disable'),
  'POST /api/v1/issuers/{alias}/enable': at('POST', issuerPathAfter('/disable'), '/enable'),
  'GET /api/v1/issuers/{alias}/subjects': at('GET', issuerPath, '/subjects'),
  'POST /api/v1/issuers/{alias}/subjects/block': at('POST', issuerPath, '/subjects/block', SUBJECT),
  'POST /api/v1/issuers/{alias}/subjects/unblock': at(
    'POST',
    issuerPathAfter('/subjects/block', SUBJECT),
    '/subjects/unblock',
    SUBJECT,
  ),
  'GET /api/v1/keys/{kid}': at('GET', signingKeyPath),
  'POST /api/v1/keys/rotate': () => ({ method: 'POST', path: '/api/v1/keys/rotate', body: {} }),
  'POST /api/v1/keys/import': () => ({ method: 'POST', path: '/api/v1/keys/import', body: newSigningKey() }),
  'POST /api/v1/keys/{kid}/retire': at('POST', signingKeyPath, '/retire', {}),
  'POST /api/v1/keys/{kid}/compromise': at('POST', signingKeyPath, '/compromise', {}),
  'GET /api/v1/exports/history': get('/api/v1/exports/history?format=csv'),
  'GET /oauth/authorize': get('/oauth/authorize'),
  'GET /openapi.json': get('/openapi.json'),
  'GET /docs': get('/docs'),
  'GET /console': get('/console'),
  'GET /': get('/'),
  'GET /favicon.ico': get('/favicon.ico'),
  'GET /favicon.svg': get('/favicon.svg'),
  ...Object.fromEntries(
    METADATA.flatMap(path => [
      [`GET ${path}`, get(path)],
      [`OPTIONS ${path}`, preflight(path)],
    ]),
  ),
}
