// Token exchange (RFC 8693): what an agent gets for a token that was sent to it, and what that token says of its lineage.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS_TOKEN_TYPE, CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { type AgentsApi, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { askExchange, exchange } from '../../../../testkit/callers/exchanges.ts'
import {
  askToken,
  assertError,
  assertPlainHeaders,
  claimsOf,
  get,
  introspect,
  issue,
  postForm,
} from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, type AgentOfTestRequest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Claims = Readonly<Record<string, unknown>>

const ORDERS = 'https://orders.example'
const BOTH = [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] as const
/** May exchange what any agent sent to the default audience. */
const ANYBODY: AgentOfTestRequest = { grantTypes: BOTH, actsFor: ['*'], receives: [AUDIENCE] }

const service = useService()
const caller = service.agent()
const server = service.agent(ANYBODY)
const apiKey = service.apiKey('tokens:introspect')

let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

const introspected = async (token: string): Promise<Claims> =>
  (await introspect(service, apiKey.key, token)).json as Claims

const lineageOf = (token: string): readonly Claims[] => claimsOf(token)['lineage'] as readonly Claims[]

test('the new token is for the subject of the one exchanged, names who acts and every ancestor, and nothing else', async () => {
  const parent = await issue(service, caller)
  const answer = await askExchange(service, server, parent, { resource: ORDERS })
  assert.equal(answer.status, 200, answer.text)
  assertPlainHeaders(answer)
  const { access_token, ...rest } = answer.json as Claims
  const granted = { token_type: 'Bearer', expires_in: 240, scope: 'db:read', issued_token_type: ACCESS_TOKEN_TYPE }
  assert.deepEqual(rest, granted)
  const [claims, above] = [claimsOf(String(access_token)), claimsOf(parent)]
  const { iat, jti, credential_id, lineage, ...named } = claims
  assert.deepEqual(named, {
    iss: service.baseUrl,
    sub: caller.agentId,
    aud: ORDERS,
    client_id: server.clientId,
    exp: Number(iat) + 240,
    scope: 'db:read',
    seq: above['seq'],
    act: { sub: server.agentId },
  })
  assert.match(String(credential_id), /^[0-9a-f-]{36}$/)
  const [entry, ...others] = lineage as readonly Claims[]
  assert.deepEqual(others, [])
  const { kid } = JSON.parse(Buffer.from(parent.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }
  const { credential_id: parentCredential, ...ancestor } = entry ?? {}
  assert.deepEqual(ancestor, { id: above['jti'], exp: above['exp'], seq: above['seq'], agent_id: caller.agentId, kid })
  assert.match(String(parentCredential), /^[0-9a-f-]{36}$/)
  assert.notEqual(parentCredential, credential_id)
  assert.notEqual(jti, above['jti'])
})

test('introspection, plain and signed, answers the subject and who acts for it', async () => {
  const token = await exchange(service, server, await issue(service, caller))
  const { iat, exp, jti } = claimsOf(token)
  const reported = await introspected(token)
  assert.deepEqual(reported, {
    active: true,
    sub: caller.agentId,
    scope: 'db:read',
    exp,
    client_id: server.clientId,
    iss: service.baseUrl,
    aud: AUDIENCE,
    iat,
    jti,
    token_type: 'Bearer',
    act: { sub: server.agentId },
  })
  const headers = { 'x-api-key': apiKey.key, accept: 'application/token-introspection+jwt' }
  const signed = await postForm(service, '/oauth/introspect/v2', { token }, headers)
  assert.deepEqual(claimsOf(signed.text)['token_introspection'], reported)
})

test('an API key that is limited to audiences hears of a token for one of them alone, whatever its ancestors are for', async () => {
  const limited = await service.createApiKey('tokens:introspect', [ORDERS])
  const parent = await issue(service, caller)
  const token = await exchange(service, server, parent, { resource: ORDERS })
  assert.deepEqual((await introspect(service, limited.key, parent)).json, { active: false })
  assert.deepEqual((await introspect(service, limited.key, token)).json, await introspected(token))
  const elsewhere = await exchange(service, server, parent)
  assert.deepEqual((await introspect(service, limited.key, elsewhere)).json, { active: false })
})

test('who acted before stands inside of who acts (RFC 8693 §4.1), and no exchange drops one of them', async () => {
  const [first, second, third] = [
    await service.createAgent(ANYBODY),
    await service.createAgent(ANYBODY),
    await service.createAgent(ANYBODY),
  ]
  const chain: AgentOfTest[] = []
  let token = await issue(service, caller)
  let act: Claims | undefined
  // An agent that narrows a token of its own is not named again.
  for (const agent of [first, second, second, third, first, first]) {
    token = await exchange(service, agent, token)
    if (chain.at(-1) !== agent) act = { sub: agent.agentId, ...(act !== undefined && { act }) }
    chain.push(agent)
    assert.deepEqual([claimsOf(token)['sub'], claimsOf(token)['act']], [caller.agentId, act])
    assert.deepEqual((await introspected(token))['act'], act)
  }
  const holders = chain.slice(0, -1).toReversed()
  assert.deepEqual(
    lineageOf(token).map(({ agent_id }) => agent_id),
    [...holders, caller].map(({ agentId }) => agentId),
  )
})

test('the record of a token says of its lineage what the token says', async () => {
  const parent = await exchange(service, server, await issue(service, caller))
  const token = await exchange(service, await service.createAgent(ANYBODY), parent)
  const { jti, sub, client_id, credential_id, act } = claimsOf(token)
  const lineage = lineageOf(token)
  const reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
  const record = (await get(service, `/api/v1/tokens/${String(jti)}`, reader)).json as Claims
  const { agent_id, subject, parent_id, root_id, depth, actors } = record
  assert.deepEqual([agent_id, record['client_id'], record['credential_id']], [client_id, client_id, credential_id])
  assert.deepEqual([subject, depth], [{ agent_id: sub, agent_name: null }, 2])
  assert.deepEqual([parent_id, root_id], [lineage[0]?.['id'], lineage[1]?.['id']])
  assert.deepEqual(act, { sub: agent_id, act: { sub: server.agentId } })
  assert.deepEqual(actors, [agent_id, server.agentId])
})

test('an agent narrows a token of its own without being named in acts_for, and adds no actor', async () => {
  const agent = await service.createAgent({ grantTypes: BOTH })
  const parent = await issue(service, agent, { scope: 'db:read db:write' })
  const token = await exchange(service, agent, parent, { scope: 'db:read', resource: ORDERS })
  const { sub, act, scope, aud, lineage } = claimsOf(token)
  assert.deepEqual([sub, act, scope, aud], [agent.agentId, undefined, 'db:read', ORDERS])
  assert.equal((lineage as readonly Claims[]).length, 1)
  assert.equal('act' in (await introspected(token)), false)
})

test('an agent without client_credentials acts for others only', async () => {
  const agent = await service.createAgent({ ...ANYBODY, grantTypes: [TOKEN_EXCHANGE] })
  assertError(await askToken(service, agent), 400, 'unauthorized_client', 'This agent may not use this grant_type.')
  const token = await exchange(service, agent, await issue(service, caller))
  assert.deepEqual(claimsOf(token)['act'], { sub: agent.agentId })
})

test('without a scope it is what both the token and the agent may have; with one, that alone', async () => {
  const reader = await service.createAgent({ ...ANYBODY, scope: 'db:read mail:*', defaultScope: null })
  const writer = await service.createAgent({ scope: 'db:* mail:*' })
  const parent = await issue(service, writer, { scope: 'db:read db:write mail:send mail:read' })
  const scopeOf = async (fields = {}) => claimsOf(await exchange(service, reader, parent, fields))['scope']
  assert.equal(await scopeOf(), 'db:read mail:read mail:send')
  assert.equal(await scopeOf({ scope: 'mail:send' }), 'mail:send')
})

test('it lives by the rungs: the longest that fits what is left of the parent and the lifetime of the agent', async () => {
  const hour = await service.createAgent({ lifetimeSeconds: 3600 })
  const agents = {
    same: await service.createAgent({ ...ANYBODY, lifetimeSeconds: 3600 }),
    short: await service.createAgent({ ...ANYBODY, lifetimeSeconds: 100 }),
  }
  const parent = await issue(service, hour)
  const { exp, iat } = claimsOf(parent)
  const lived = async (agent: AgentOfTest): Promise<number> => {
    const claims = claimsOf(await exchange(service, agent, parent))
    assert.ok(Number(claims['exp']) <= Number(exp))
    return Number(claims['exp']) - Number(claims['iat'])
  }
  assert.equal(await lived(agents.same), Number(exp) - Number(iat))
  assert.equal(await lived(agents.short), 60)
  let left = 3600
  for (const [seconds, rung] of [
    [3599, 900],
    [239, 180],
    [16, 15],
    [15, 15],
  ] as const) {
    service.clock.advance(1000 * (left - seconds))
    left = seconds
    assert.equal(await lived(agents.same), rung, `${seconds} s left`)
  }
  service.clock.advance(1000)
  const late = await askExchange(service, agents.same, parent)
  const description = 'The subject_token expires in less than 15 s, the shortest lifetime of an exchanged token.'
  assertError(late, 400, 'invalid_request', description)
})

test('eight exchanges one after another, and no ninth', async () => {
  const agent = await service.createAgent({ grantTypes: BOTH })
  let token = await issue(service, agent)
  for (let depth = 1; depth <= 8; depth += 1) {
    token = await exchange(service, agent, token)
    assert.equal(lineageOf(token).length, depth)
    assert.equal((await introspected(token))['active'], true)
  }
  const description =
    'The subject_token has 8 ancestors, or actors that an issuer named: the most that a token may have.'
  assertError(await askExchange(service, agent, token), 400, 'invalid_request', description)
})

test('the label of an agent lets it be acted for, from the change on and no longer than it has it', async () => {
  const labelled = await service.createAgent({ labels: { team: 'data' } })
  const agent = await service.createAgent({ ...ANYBODY, actsFor: ['label:team=data'] })
  const refused = 'This agent may not act for the agent that holds the subject_token.'
  assertError(await askExchange(service, agent, await issue(service, caller)), 400, 'invalid_request', refused)
  const parent = await issue(service, labelled)
  const token = await exchange(service, agent, parent)
  await api.patch(labelled.agentId, { labels: { team: 'other' } })
  assertError(await askExchange(service, agent, parent), 400, 'invalid_request', refused)
  assert.equal((await introspected(token))['active'], true)
  await api.patch(labelled.agentId, { labels: { team: 'data' } })
  // Who holds the token is asked, not for whom it acts.
  const below = await service.createAgent({ ...ANYBODY, actsFor: ['label:team=data'] })
  assertError(await askExchange(service, below, token), 400, 'invalid_request', refused)
  await exchange(service, below, parent)
})

test('an exchange counts toward the limits of the agent that asks for it', async () => {
  const agent = await service.createAgent({ ...ANYBODY, tokensPerMinute: 1 })
  const parent = await issue(service, caller)
  await exchange(service, agent, parent)
  const { status, json } = await askExchange(service, agent, parent)
  assert.deepEqual([status, (json as Claims)['error']], [429, 'too_many_requests'])
})

test('the end of a token ends what was got for it, and no other', async () => {
  const [root, other] = [await issue(service, caller), await issue(service, caller)]
  const child = await exchange(service, server, root)
  const grandchild = await exchange(service, server, child)
  const sibling = await exchange(service, server, other)
  const { clientId, clientSecret } = caller
  const body = { token: root, client_id: clientId, client_secret: clientSecret }
  assert.equal((await postForm(service, '/oauth/revoke', body)).status, 200)
  const active = await Promise.all([child, grandchild, sibling].map(introspected))
  assert.deepEqual(
    active.map(one => one['active']),
    [false, false, true],
  )
})
