// Commands that act on the store while the service runs: what they change holds in the service from their exit code on.
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { freePorts, KEY, makeFolder, run, start, type Variables } from './run-mintmark.ts'

type Credentials = { readonly agent_id: string; readonly client_id: string; readonly client_secret: string }
type ApiKey = { readonly api_key_id: string; readonly api_key: string }

const READER = ['--permission', 'tokens:introspect', 'tokens:read']

const startServing = async (t: TestContext) => {
  const folder = makeFolder(t)
  const [port] = await freePorts()
  const url = `http://127.0.0.1:${port}`
  const variables: Variables = {
    MINTMARK_KEY_ENCRYPTION_KEY: KEY,
    MINTMARK_BASE_URL: url,
    MINTMARK_IDP_ISSUER: 'https://login.example.com',
    MINTMARK_IDP_AUDIENCE: 'mintmark',
    HOST: '127.0.0.1',
    PORT: String(port),
  }
  assert.equal(run(folder, ['migrate'], variables).status, 0)
  await start(t, folder, { args: ['serve'], variables, ready: /another audience\.\n/ })
  const json = (...args: readonly string[]): unknown => JSON.parse(run(folder, [...args, '--json']).stdout)
  return { url, json }
}

type Serving = Awaited<ReturnType<typeof startServing>>

const createAgent = ({ json }: Serving) =>
  json('agent', 'create', '--name', 'a', '--scope', 'db:read', '--default-scope', 'db:read') as Credentials

const createApiKey = ({ json }: Serving) => json('api-key', 'create', '--name', 'k', ...READER) as ApiKey

const post = async (address: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await fetch(address, { method: 'POST', headers, body: new URLSearchParams(fields) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const issue = ({ url }: Serving, { client_id, client_secret }: Credentials) =>
  post(`${url}/oauth/token`, { grant_type: 'client_credentials', client_id, client_secret })

const introspect = ({ url }: Serving, { api_key }: ApiKey, token: unknown) =>
  post(`${url}/oauth/introspect/v2`, { token: String(token) }, { 'x-api-key': api_key })

test('an agent disabled by the command gets no token, and what it held is inactive and in history by that user', async t => {
  const serving = await startServing(t)
  const agent = createAgent(serving)
  const apiKey = createApiKey(serving)
  const { access_token } = (await issue(serving, agent)).body
  assert.equal((await introspect(serving, apiKey, access_token)).body['active'], true)
  serving.json('agent', 'disable', agent.agent_id)
  assert.deepEqual((await introspect(serving, apiKey, access_token)).body, { active: false })
  assert.equal((await issue(serving, agent)).status, 401)
  const history = await fetch(`${serving.url}/api/v1/tokens/history`, { headers: { 'x-api-key': apiKey.api_key } })
  const { data } = (await history.json()) as { data: { termination_reason: string; ended_by: unknown }[] }
  assert.deepEqual(
    data.map(({ termination_reason, ended_by }) => ({ termination_reason, ended_by })),
    [{ termination_reason: 'agent_disabled', ended_by: { type: 'cli', id: userInfo().username } }],
  )
  serving.json('agent', 'enable', agent.agent_id)
  assert.equal((await issue(serving, agent)).status, 200)
  assert.deepEqual((await introspect(serving, apiKey, access_token)).body, { active: false })
})

test('an API key revoked by the command is refused from then on', async t => {
  const serving = await startServing(t)
  const apiKey = createApiKey(serving)
  assert.deepEqual(await introspect(serving, apiKey, 'x'), { status: 200, body: { active: false } })
  serving.json('api-key', 'revoke', apiKey.api_key_id)
  assert.equal((await introspect(serving, apiKey, 'x')).status, 401)
})
