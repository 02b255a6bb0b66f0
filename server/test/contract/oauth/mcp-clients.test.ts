// The MCP SDK for TypeScript, unmodified, from the agent to an MCP server: the files of docs/agents/mcp.md.
import assert from 'node:assert/strict'
import { beforeEach, type TestContext, test } from 'node:test'
import { PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { OAuthTokenVerifier } from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { connect, makeProvider } from '../../../../proof/interop/typescript/mcp-client.ts'
import { makeMcpApp } from '../../../../proof/interop/typescript/mcp-server.ts'
import { verifyByIntrospection } from '../../../../proof/interop/typescript/verify-by-introspection.ts'
import { verifyByKeys } from '../../../../proof/interop/typescript/verify-by-keys.ts'
import { registerKeys } from '../../../../testkit/keys/client-assertions.ts'
import { makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { issue, postForm } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, catchUp, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'
import { startMcpServer } from '../../../../testkit/services/mcp-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type MakeVerifier = (resource: URL) => OAuthTokenVerifier

const service = useService({ start: Date.now() })
const apiKey = service.apiKey('tokens:introspect')

beforeEach(() => catchUp(service))

const byKeys: MakeVerifier = resource => verifyByKeys(service.baseUrl, resource)
const byIntrospection: MakeVerifier = resource => verifyByIntrospection(service.baseUrl, resource, apiKey.key)
const VERIFIERS: readonly MakeVerifier[] = [byKeys, byIntrospection]

/** Every way in which an agent of the SDK gets a token. */
const PROVIDERS: Readonly<Record<string, (agent: AgentOfTest) => Promise<OAuthClientProvider>>> = {
  ClientCredentialsProvider: async ({ clientId, clientSecret }) =>
    makeProvider(service.baseUrl, clientId, clientSecret),
  PrivateKeyJwtProvider: async agent => {
    const { alg: algorithm, jwk, privateKey } = makeProofKey()
    await registerKeys(service, agent, [jwk])
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
    const { clientId } = agent
    return new PrivateKeyJwtProvider({ expectedIssuer: service.baseUrl, clientId, privateKey: pem, algorithm })
  },
}

const startServerWith = (t: TestContext, makeVerifier: MakeVerifier, { baseUrl }: TestServer = service): Promise<URL> =>
  startMcpServer(t, resource => makeMcpApp(baseUrl, resource, makeVerifier(resource)))

const whoami = async (client: Client): Promise<unknown> =>
  ((await client.callTool({ name: 'whoami' })).content as { text: string }[])[0]?.text

const tokenOf = async (provider: OAuthClientProvider): Promise<string> => (await provider.tokens())?.access_token ?? ''

const introspect = async (token: string): Promise<unknown> =>
  (await postForm(service, '/oauth/introspect/v2', { token }, { 'x-api-key': apiKey.key })).json

const revoke = async ({ clientId, clientSecret }: AgentOfTest, token: string): Promise<void> => {
  const fields = { token, client_id: clientId, client_secret: clientSecret }
  assert.equal((await postForm(service, '/oauth/revoke', fields)).status, 200)
}

const callWith = (resource: URL, token: string): Promise<Response> =>
  fetch(resource, { method: 'POST', headers: { authorization: `Bearer ${token}` } })

for (const [name, makeAgentProvider] of Object.entries(PROVIDERS)) {
  test(`${name} gets a token for the MCP server, which checks it by the keys and by introspection`, async t => {
    for (const verifier of VERIFIERS) {
      const agent = await service.createAgent()
      const resource = await startServerWith(t, verifier)
      const provider = await makeAgentProvider(agent)
      const client = await connect(resource, provider)
      assert.equal(await whoami(client), agent.clientId)
      const reported = (await introspect(await tokenOf(provider))) as Record<string, unknown>
      assert.deepEqual([reported['active'], reported['aud'], reported['scope']], [true, resource.href, 'db:read'])
      await client.close()
    }
  })

  test(`${name}: after its token is revoked, the client gets another and goes on`, async t => {
    const agent = await service.createAgent()
    const provider = await makeAgentProvider(agent)
    const client = await connect(await startServerWith(t, byIntrospection), provider)
    const first = await tokenOf(provider)
    await revoke(agent, first)
    assert.equal(await whoami(client), agent.clientId)
    assert.notEqual(await tokenOf(provider), first)
    await client.close()
  })

  test(`${name}: an agent that was disabled gets no further at a server that introspects`, async t => {
    const agent = await service.createAgent()
    const client = await connect(await startServerWith(t, byIntrospection), await makeAgentProvider(agent))
    await service.disableAgent(agent.agentId)
    await assert.rejects(whoami(client), /Client authentication failed|invalid_client/i)
    await client.close()
  })

  test(`${name}: an agent that may not have the MCP server as its resource is refused`, async t => {
    const agent = await service.createAgent({ resources: ['https://elsewhere.example'] })
    const resource = await startServerWith(t, byKeys)
    const provider = await makeAgentProvider(agent)
    await assert.rejects(connect(resource, provider), /invalid_target|resource/)
  })
}

test('ClientCredentialsProvider finds an issuer with a path', async t => {
  const tenant = await startServer({ start: Date.now(), path: '/tenant/one' })
  t.after(() => tenant.close())
  const agent = await tenant.createAgent()
  const resource = await startServerWith(t, url => verifyByKeys(tenant.baseUrl, url), tenant)
  const client = await connect(resource, makeProvider(tenant.baseUrl, agent.clientId, agent.clientSecret))
  assert.equal(await whoami(client), agent.clientId)
  await client.close()
})

test('ClientCredentialsProvider reads the refusal of a wrong secret', async t => {
  const { clientId } = await service.createAgent()
  const resource = await startServerWith(t, byKeys)
  await assert.rejects(connect(resource, makeProvider(service.baseUrl, clientId, 'wrong')), {
    name: 'InvalidClientError',
  })
})

test('the MCP server refuses a token for another resource, one that is forged, and one of too little scope', async t => {
  const agent = await service.createAgent()
  for (const verifier of VERIFIERS) {
    const resource = await startServerWith(t, verifier)
    const token = await issue(service, agent, { resource: resource.href })
    const narrow = await issue(service, agent, { resource: resource.href, scope: 'db:write' })
    const tries: readonly [string, number][] = [
      [await issue(service, agent), 401],
      [`${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`, 401],
      [narrow, 403],
    ]
    for (const [presented, status] of tries) assert.equal((await callWith(resource, presented)).status, status)
  }
})

test('a revoked token: a server that introspects refuses it at once, one that has only the keys takes it', async t => {
  const agent = await service.createAgent()
  for (const [verifier, refused] of [
    [byIntrospection, true],
    [byKeys, false],
  ] as const) {
    const resource = await startServerWith(t, verifier)
    const token = await issue(service, agent, { resource: resource.href })
    assert.notEqual((await callWith(resource, token)).status, 401)
    await revoke(agent, token)
    assert.equal((await callWith(resource, token)).status === 401, refused)
  }
})
