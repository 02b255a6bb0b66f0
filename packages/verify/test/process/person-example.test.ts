// The agent of examples/mcp that acts for a person, as a process, with the development identity provider.
import assert from 'node:assert/strict'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import { JWT_BEARER } from '../../../../api/values/delegation.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { presentIdJag, trust } from '../../../../testkit/callers/subject-jwts.ts'
import { agentAt, startDevelopmentProvider } from '../../../../testkit/identity-providers/development-provider.ts'
import {
  type AgentAtProvider,
  askIdJag,
  followSignIn,
  signInPerson,
} from '../../../../testkit/identity-providers/sign-in-person.ts'
import { type InstalledExamples, installExamples } from '../../../../testkit/packages/example.ts'
import { freePort } from '../../../../testkit/processes/free-port.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { type AgentOfTest, catchUp } from '../../../../testkit/services/test-server.ts'

const service = useService({ start: Date.now() })
const apiKey = service.apiKey('tokens:introspect')
let installed: InstalledExamples | undefined

before(async () => {
  installed = await installExamples()
})
after(() => installed?.remove())
beforeEach(() => catchUp(service))

const examples = (): InstalledExamples => {
  assert.ok(installed)
  return installed
}

/** The URL of the MCP server of the example. */
const startServer = async (t: TestContext): Promise<string> => {
  const port = String(await freePort())
  const environment = { BASE_URL: service.baseUrl, ADMIN_API_KEY: apiKey.key, PORT: port }
  const server = await examples().start('mcp', environment)
  t.after(() => server.stop())
  return `http://127.0.0.1:${port}/mcp`
}

type Variables = Readonly<Record<string, string>>

/** The variables of dev.env. */
const variablesOf = (provider: AgentAtProvider, { clientId, clientSecret }: AgentOfTest, url: string): Variables => ({
  BASE_URL: service.baseUrl,
  MCP_URL: url,
  CLIENT_ID: clientId,
  CLIENT_SECRET: clientSecret,
  IDENTITY_PROVIDER: provider.issuer,
  IDENTITY_PROVIDER_CLIENT_ID: provider.clientId,
  IDENTITY_PROVIDER_CLIENT_SECRET: provider.clientSecret,
})

/** Runs the agent; `follow` is the browser in which its URL is opened. */
const run = (variables: Variables, follow: (url: string) => Promise<unknown>): Promise<string> =>
  examples().run('mcp', 'person', variables, follow)

const signInAs = (name: string) => async (url: string) => {
  const callback = await followSignIn(url, name)
  const guessed = new URL(callback)
  guessed.searchParams.set('state', 'guessed')
  assert.equal((await fetch(guessed)).status, 404)
  assert.equal((await fetch(callback)).status, 200)
}

/** The status of a call of a tool. */
const callTool = async (url: string, token: string): Promise<number> => {
  const accept = 'application/json, text/event-stream'
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${token}` },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_orders', arguments: {} },
    }),
  })
  await response.body?.cancel()
  return response.status
}

type Failed = Error & { readonly code: unknown; readonly stderr: string }

test('the agent acts for a person who signs in, and for nobody who is blocked', async t => {
  const [url, provider] = [await startServer(t), agentAt(await startDevelopmentProvider(t, service.baseUrl))]
  const { issuer } = provider
  const record = { alias: 'dev', token_types: ['id-jag'], parties: [] }
  await trust(service, { issuer, jwksUri: `${issuer}/jwks` }, record)
  const issuerClients = { dev: provider.clientId }
  const agent = await service.createAgent({ grantTypes: [JWT_BEARER], actsFor: ['issuer:dev'], issuerClients })
  const variables = variablesOf(provider, agent, url)
  const [, listed] = (await run(variables, signInAs('alice'))).split('\n')
  assert.equal(listed, `list_orders [{"type":"text","text":"tea; asked by ${agent.clientId} for dev:alice"}]`)

  const asked = { audience: service.baseUrl, resource: url, scope: 'db:read' }
  const answer = await askIdJag(provider, { ...asked, subject_token: await signInPerson(provider, 'alice') })
  const { access_token: idJag } = (await answer.json()) as { readonly access_token: string }
  const { json } = await presentIdJag(service, agent, idJag)
  const { access_token: token } = json as { readonly access_token: string }
  assert.equal(await callTool(url, token), 200)
  const block = { method: 'POST', path: '/api/v1/issuers/dev/subjects/block', body: { sub: 'alice' } }
  assert.equal((await call(service, block, await admin(service))).status, 200)
  await until('it is refused', async () => (await callTool(url, token)) === 401)

  const why = 'The assertion names a subject that is blocked here: an administrator can unblock it.'
  const check = `Check the agent, and whom it acts for: npx mintmark agent show ${agent.clientId}`
  await assert.rejects(run(variables, signInAs('alice')), ({ code, stderr }: Failed) => {
    assert.equal(code, 1)
    // The SDK has warned before.
    assert.equal(stderr.split('\n').at(-2), `The token was refused: invalid_grant ("${why}"). ${check}`)
    return true
  })
})

test('the agent ends with one line where the person does not sign in, and where the provider gives no ID-JAG', async t => {
  const [url, agent] = [await startServer(t), await service.createAgent()]
  const provider = agentAt(await startDevelopmentProvider(t, 'http://127.0.0.1:1'))
  const variables = variablesOf(provider, agent, url)
  const refuse = async (signInUrl: string): Promise<void> => {
    const { searchParams, origin: iss } = new URL(signInUrl)
    const answer = new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '', iss })
    await fetch(`${searchParams.get('redirect_uri')}?${answer.toString()}`)
  }
  await assert.rejects(run(variables, refuse), {
    code: 1,
    stderr: 'The identity provider refused the sign-in: "access_denied".\n',
  })
  // It issues ID-JAGs for another service alone.
  await assert.rejects(run(variables, signInAs('bob')), {
    code: 1,
    stderr: /^The identity provider gave no ID-JAG: "Token exchange failed: invalid_target\b.*"\.\n$/,
  })
})

test('the agent sends no secret where the server names another issuer', async t => {
  const [url, agent] = [await startServer(t), await service.createAgent()]
  const provider = agentAt(await startDevelopmentProvider(t, service.baseUrl))
  const variables = { ...variablesOf(provider, agent, url), BASE_URL: 'http://127.0.0.1:1' }
  await assert.rejects(run(variables, signInAs('alice')), {
    code: 1,
    stderr: /credentials are bound to "http:\/\/127\.0\.0\.1:1" but this call resolved /,
  })
})
