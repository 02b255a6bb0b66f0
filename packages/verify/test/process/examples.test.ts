// The examples in examples/, each as a process of its own that was started by the command of `npm start`.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { bearer, get, issue, postJson, revoke } from '../../../../testkit/callers/requests.ts'
import { type InstalledExamples, installExamples, type RunningExample } from '../../../../testkit/packages/example.ts'
import { freePort } from '../../../../testkit/processes/free-port.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'
import { catchUp } from '../../../../testkit/services/test-server.ts'

/** The path below its audience that each protects for reading with `db:read`, and for `POST` with `db:write`. */
const APIS = ['express', 'fastify', 'hono'] as const
/** Those that serve until they are stopped. */
const SERVERS = [...APIS, 'mcp']
const SCOPES = ['db:read', 'db:write']

const service = useService({ start: Date.now() })
const agent = service.agent({ name: 'example', scope: 'db:*', resources: ['*'] })
const apiKey = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')
let examples: InstalledExamples | undefined

before(async () => {
  examples = await installExamples()
})
after(async () => {
  await Promise.all([...started.values()].map(async example => (await example).stop()))
  examples?.remove()
})
beforeEach(() => catchUp(service))

const installed = (): InstalledExamples => {
  assert.ok(examples)
  return examples
}

/** What a process that ended with another code than 0 had written. */
type Failed = Error & { readonly stdout: string; readonly stderr: string }

type Example = RunningExample & { readonly origin: string; readonly environment: Readonly<Record<string, string>> }

/** With the variables of dev.env. */
const start = async (name: string): Promise<Example> => {
  const port = await freePort()
  const environment = {
    BASE_URL: service.baseUrl,
    ADMIN_API_KEY: apiKey.key,
    CLIENT_ID: agent.clientId,
    CLIENT_SECRET: agent.clientSecret,
    PORT: String(port),
  }
  const running = await installed().start(name, environment)
  return { ...running, origin: `http://127.0.0.1:${port}`, environment }
}

/** One of each, which serves all its tests, as it would its callers. */
const started = new Map<string, Promise<Example>>()

const running = (name: string): Promise<Example> => {
  const example = started.get(name) ?? start(name)
  started.set(name, example)
  return example
}

const tokenFor = (resource: string, scope = 'db:read'): Promise<string> => issue(service, agent, { scope, resource })

type Sent = { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

const call = (url: string, token?: string, { headers, ...rest }: Sent = {}): Promise<Response> =>
  fetch(url, { ...rest, headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) } })

const challengeOf = async (response: Response, status: number): Promise<string> => {
  assert.equal(response.status, status, await response.text())
  return response.headers.get('www-authenticate') ?? ''
}

/** RFC 9728 §3: what the challenge names holds whose tokens are taken, and for what. */
const checkMetadata = async (challenge: string, resource: string): Promise<void> => {
  const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  const { pathname, origin } = new URL(resource)
  assert.equal(address, `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`)
  const response = await fetch(address)
  assert.equal(response.status, 200)
  const metadata = (await response.json()) as Readonly<Record<string, unknown>>
  assert.equal(metadata['resource'], resource)
  assert.deepEqual(metadata['authorization_servers'], [service.baseUrl])
  assert.deepEqual(metadata['scopes_supported'], SCOPES)
}

test('the examples are those that are tested here', () => {
  assert.deepEqual(installed().names.toSorted(), ['agent', ...SERVERS])
})

for (const name of APIS) {
  test(`the example ${name} refuses a request without a token, and names its metadata`, async () => {
    const { origin } = await running(name)
    const challenge = await challengeOf(await call(`${origin}/orders`), 401)
    assert.match(challenge, /^Bearer scope="db:read", resource_metadata="/)
    await checkMetadata(challenge, origin)
  })

  test(`the example ${name} takes a token, asks for another scope, and refuses the token once it is revoked`, async () => {
    const { origin, output } = await running(name)
    const [token, other] = [await tokenFor(origin), await tokenFor(origin)]
    const response = await call(`${origin}/orders`, token)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { orders: ['tea'], caller: agent.agentId })
    const challenge = await challengeOf(await call(`${origin}/orders`, token, { method: 'POST' }), 403)
    assert.match(challenge, /^Bearer error="insufficient_scope", .*scope="db:write", resource_metadata="/)
    const more = await tokenFor(origin, 'db:read db:write')
    assert.equal((await call(`${origin}/orders`, more, { method: 'POST' })).status, 201)
    assert.equal((await revoke(service, token)).status, 200)
    await until('it is refused', async () => (await call(`${origin}/orders`, token)).status === 401)
    const refused = await challengeOf(await call(`${origin}/orders`, token), 401)
    assert.match(refused, /^Bearer error="invalid_token", /)
    assert.equal((await call(`${origin}/orders`, other)).status, 200)
    for (const one of [token, other, more, apiKey.key]) assert.ok(!output().includes(one))
  })

  test(`the example ${name} refuses a token for another resource`, async () => {
    const { origin } = await running(name)
    const challenge = await challengeOf(await call(`${origin}/orders`, await tokenFor('https://other.example')), 401)
    assert.match(challenge, /^Bearer error="invalid_token", /)
  })
}

const callTool = (url: string, token: string | undefined, body: unknown): Promise<Response> =>
  call(url, token, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  })

const toolCall = (name: unknown, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
})

test('the agent of the example calls an API', async () => {
  const { origin, environment } = await running('express')
  const output = await installed().run('agent', 'start', { ...environment, API_URL: origin })
  assert.match(output, new RegExp(`^200 \\{"orders":.*"caller":"${agent.agentId}"\\}\n$`))
})

test('the MCP server of the example refuses a call without a token, and one of a tool beyond the token’s scope', async () => {
  const { origin } = await running('mcp')
  const url = `${origin}/mcp`
  await checkMetadata(await challengeOf(await callTool(url, undefined, toolCall('list_orders')), 401), url)
  const token = await tokenFor(url)
  for (const body of [toolCall('add_order'), [toolCall('list_orders'), toolCall('add_order', 2)]]) {
    const challenge = await challengeOf(await callTool(url, token, body), 403)
    assert.match(challenge, /^Bearer error="insufficient_scope", .*scope="db:read db:write", resource_metadata="/)
  }
  for (const params of [null, 7, [], { name: ['add_order'] }, { name: {} }]) {
    const response = await callTool(url, token, { ...toolCall(''), params })
    assert.ok(response.status < 500, `${JSON.stringify(params)}: ${response.status}`)
    assert.doesNotMatch(await response.text(), /\d orders/)
  }
})

test('the MCP server of the example survives hostile bodies, and shows no callers where its code stands', async () => {
  const { origin } = await running('mcp')
  const url = `${origin}/mcp`
  const token = await tokenFor(url)
  const headers = { 'content-type': 'application/json' }
  for (const body of ['{', '\0', '"'.repeat(1000), '[['.repeat(40_000), `[${'{},'.repeat(100_000)}{}]`]) {
    const response = await call(url, token, { method: 'POST', headers, body })
    assert.ok(response.status >= 400 && response.status < 500, `${body.slice(0, 10)}: ${response.status}`)
    assert.doesNotMatch(await response.text(), /node_modules|node:internal|server\.ts/)
  }
  assert.equal((await callTool(url, token, toolCall('list_orders'))).status, 200)
})

test('the MCP client of the example calls a tool, and gets a token for the scope that another one needs', async () => {
  const { origin, environment } = await running('mcp')
  const settings = { ...environment, MCP_URL: `${origin}/mcp` }
  const output = await installed().run('mcp', 'client', settings)
  assert.deepEqual(output.trim().split('\n'), [
    `list_orders [{"type":"text","text":"tea; asked by ${agent.clientId}"}]`,
    'Step up to db:read db:write',
    'add_order [{"type":"text","text":"2 orders"}]',
  ])
})

test('the MCP client of the example sends no secret where the server names another issuer', async () => {
  const { origin, environment } = await running('mcp')
  const settings = { ...environment, MCP_URL: `${origin}/mcp`, BASE_URL: 'http://127.0.0.1:1' }
  await assert.rejects(
    installed().run('mcp', 'client', settings),
    /takes tokens for .* not from http:\/\/127\.0\.0\.1:1/,
  )
})

test('the agents of the examples end with one line where the agent was disabled: what was refused, and what to do', async () => {
  const { origin, environment } = await running('mcp')
  const { agentId, clientId, clientSecret } = await service.createAgent({ scope: 'db:*', resources: ['*'] })
  const headers = bearer(await service.provider.operatorJwt({ role: 'mintmark-admin' }))
  assert.equal((await postJson(service, `/api/v1/agents/${agentId}/disable`, {}, headers)).status, 200)
  const why = 'send client_id and client_secret of an enabled agent, in the form or by HTTP Basic.'
  const refused = `The token was refused: invalid_client (Client authentication failed: ${why}).`
  const own = { MCP_URL: `${origin}/mcp`, API_URL: origin, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  for (const [name, script] of [
    ['mcp', 'client'],
    ['agent', 'start'],
  ] as const) {
    await assert.rejects(installed().run(name, script, { ...environment, ...own }), {
      code: 1,
      stdout: '',
      stderr: `${refused} Check the agent and its secret: npx mintmark agent show ${clientId}\n`,
    })
  }
})

test('the MCP server of the example refuses a revoked token', async () => {
  const { origin } = await running('mcp')
  const url = `${origin}/mcp`
  const token = await tokenFor(url)
  assert.equal((await callTool(url, token, toolCall('list_orders'))).status, 200)
  assert.equal((await revoke(service, token)).status, 200)
  await until('it is refused', async () => (await callTool(url, token, toolCall('list_orders'))).status === 401)
})

test('a second process of an example on one port ends with the reason, and says nothing of listening', async () => {
  for (const name of SERVERS) {
    const { environment } = await running(name)
    await assert.rejects(installed().run(name, 'start', environment), (fault: Failed) => {
      assert.match(fault.stderr, /EADDRINUSE/, name)
      assert.doesNotMatch(fault.stdout, /Listening/)
      return true
    })
  }
})

test('operators see the verifier of each example by a name of its own', async () => {
  const listed = async (): Promise<readonly string[]> => {
    const { json } = await get(service, '/api/v1/verifiers?limit=1000', { 'x-api-key': reader.key })
    return (json as { readonly data: readonly { readonly name: string }[] }).data.map(({ name }) => name)
  }
  await Promise.all(SERVERS.map(running))
  const isOfProcess = /^(?:mcp-)?orders-.+-\d+$/
  await until('each is listed', async () => new Set((await listed()).filter(one => isOfProcess.test(one))).size === 4)
})

test('each example ends in good order at SIGTERM', async () => {
  for (const name of SERVERS) assert.equal(await (await running(name)).stop(), 0, name)
})
