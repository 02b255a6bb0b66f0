// An agent calls an MCP server, which calls a second one with an exchanged token: the files of docs/agents/mcp.md.
import assert from 'node:assert/strict'
import { beforeEach, type TestContext, test } from 'node:test'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { exchangeToken } from '../../../../proof/interop/typescript/exchange-token.ts'
import { connect, makeProvider } from '../../../../proof/interop/typescript/mcp-client.ts'
import { makeRelay } from '../../../../proof/interop/typescript/mcp-relay.ts'
import { makeMcpApp } from '../../../../proof/interop/typescript/mcp-server.ts'
import { verifyByIntrospection } from '../../../../proof/interop/typescript/verify-by-introspection.ts'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { claimsOf, revoke } from '../../../../testkit/callers/requests.ts'
import { startMcpServer } from '../../../../testkit/services/mcp-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { catchUp } from '../../../../testkit/services/test-server.ts'

const service = useService({ start: Date.now() })
const apiKey = service.apiKey('tokens:introspect')

beforeEach(() => catchUp(service))

const verifierOf = (resource: URL) => verifyByIntrospection(service.baseUrl, resource, apiKey.key)

/** The second server, the one before it, and an agent that may call that one; `exchanged` are the tokens sent on. */
const makeWorld = async (t: TestContext, mayAct = true) => {
  const agent = await service.createAgent()
  const exchanged: string[] = []
  const next = await startMcpServer(t, resource => makeMcpApp(service.baseUrl, resource, verifierOf(resource)))
  const resource = await startMcpServer(t, async own => {
    const { clientId, clientSecret, agentId } = await service.createAgent({
      resources: [next.href],
      grantTypes: [TOKEN_EXCHANGE],
      actsFor: mayAct ? [agent.agentId] : [],
      receives: [own.href],
    })
    relayId = agentId
    const exchange = async (received: string, to: URL): Promise<string> => {
      const token = await exchangeToken({ issuer: service.baseUrl, clientId, clientSecret }, received, to)
      exchanged.push(token)
      return token
    }
    return makeMcpApp(service.baseUrl, own, verifierOf(own), () => makeRelay(next, exchange))
  })
  const provider = makeProvider(service.baseUrl, agent.clientId, agent.clientSecret)
  return { agent, next, exchanged, provider, client: await connect(resource, provider) }
}

let relayId = ''

const ask = async (client: Client) => {
  const { isError, content } = await client.callTool({ name: 'ask' })
  return { isError, texts: (content as { text: string }[]).map(({ text }) => text) }
}

const callWith = (resource: URL, token: string): Promise<Response> =>
  fetch(resource, { method: 'POST', headers: { authorization: `Bearer ${token}` } })

test('the second MCP server sees who asked and who acts', async t => {
  const { agent, exchanged, client } = await makeWorld(t)
  const { texts } = await ask(client)
  const { client_id: relay } = claimsOf(exchanged[0] ?? '')
  assert.equal(texts[0], relay)
  assert.deepEqual(JSON.parse(texts[1] ?? ''), { subject: agent.agentId, act: { sub: relayId } })
  await client.close()
})

test('once the first token is revoked the second MCP server refuses the one that was got for it', async t => {
  const { next, exchanged, provider, client } = await makeWorld(t)
  await ask(client)
  const [sent = ''] = exchanged
  assert.notEqual((await callWith(next, sent)).status, 401)
  await revoke(service, (await provider.tokens())?.access_token ?? '')
  assert.equal((await callWith(next, sent)).status, 401)
  await ask(client)
  assert.equal(exchanged.length, 2)
  await client.close()
})

test('a server that may not act for the agent gets no token, and says so to the caller', async t => {
  const { exchanged, client } = await makeWorld(t, false)
  const { isError, texts } = await ask(client)
  assert.deepEqual([isError, exchanged], [true, []])
  assert.match(texts.join(), /not exchanged: invalid_request/)
  await client.close()
})
