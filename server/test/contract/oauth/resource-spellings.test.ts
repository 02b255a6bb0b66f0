// A resource by another spelling than the one that is registered (RFC 3986 §6.2.2, §6.2.3), wherever a resource is compared.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { askExchange } from '../../../../testkit/callers/exchanges.ts'
import { askToken, assertError, claimsOf, introspect, issue } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Fields = Readonly<Record<string, unknown>>

const [REGISTERED, SPELLED] = ['https://mcp.example.com', 'HTTPS://MCP.example.com:443/']
const SPELLINGS = [REGISTERED, SPELLED, `${REGISTERED}/`, `${REGISTERED}:443`]

const service = useService()
const agent = service.agent({ resources: [REGISTERED] })
let headers: Headers

service.before(async () => {
  headers = await admin(service)
})

const administer = async (method: string, path: string, body?: object): Promise<Fields> => {
  const answer = await call(service, { method, path: `/api/v1/${path}`, body }, headers)
  assert.ok(answer.status < 300, answer.text)
  return answer.json as Fields
}

const audienceOf = async (resource: string, one = agent): Promise<unknown> =>
  claimsOf(await issue(service, one, { resource }))['aud']

test('aud has the registered spelling, by whichever spelling it is asked for', async () => {
  for (const resource of SPELLINGS) assert.equal(await audienceOf(resource), REGISTERED)
  const own = await service.createAgent({ resources: [], defaultAudience: SPELLED })
  for (const resource of SPELLINGS) assert.equal(await audienceOf(resource, own), SPELLED)
  const other = `${REGISTERED}/mcp`
  const refusal = `This agent may not ask for the resource ${other}: it may ask for ${REGISTERED}, https://api.example.`
  assertError(await askToken(service, agent, { resource: other }), 400, 'invalid_target', refusal)
})

test('where any resource is allowed, aud has the registered spelling of one that is named, and else the one asked for', async () => {
  const any = await service.createAgent({ resources: ['*', REGISTERED] })
  assert.equal(await audienceOf(SPELLED, any), REGISTERED)
  assert.equal(await audienceOf('https://Other.example/', any), 'https://Other.example/')
})

test('two spellings are registered as one, in an agent and in an API key', async () => {
  const { agentId } = await service.createAgent()
  const changed = await administer('PATCH', `agents/${agentId}`, { resources: SPELLINGS, receives: SPELLINGS })
  assert.deepEqual([changed['resources'], changed['receives']], [[REGISTERED], [REGISTERED]])
  const key = await administer('POST', 'api-keys', {
    name: 'two spellings',
    permissions: ['tokens:read'],
    audiences: SPELLINGS,
  })
  assert.deepEqual(key['audiences'], [REGISTERED])
})

test('an API key limited to another spelling sees the token in introspection, lists and counts', async () => {
  const one = await service.createAgent({ resources: [REGISTERED] })
  const token = await issue(service, one, { resource: REGISTERED })
  const { key } = await service.createApiKey('tokens:introspect', [SPELLED])
  assert.equal(((await introspect(service, key, token)).json as Fields)['active'], true)
  const reader = { 'x-api-key': (await service.createApiKey('tokens:read', [SPELLED])).key }
  const { json } = await call(service, { method: 'GET', path: `/api/v1/tokens?agent_id=${one.agentId}` }, reader)
  assert.deepEqual(
    (json as { data: readonly Fields[] }).data.map(({ id }) => id),
    [claimsOf(token)['jti']],
  )
})

test('a revocation by another spelling counts and ends the token, also for an API key limited to that spelling', async () => {
  const [counted, audience] = ['https://counted.example', 'HTTPS://counted.example/']
  const one = await service.createAgent({ resources: [counted] })
  const { key } = await service.createApiKey('tokens:introspect')
  const revoker = { 'x-api-key': (await service.createApiKey('tokens:revoke', [`${counted}:443`])).key }
  for (const caller of [headers, revoker]) {
    const token = await issue(service, one, { resource: counted })
    const create = (body: object) => call(service, { method: 'POST', path: '/api/v1/revocations', body }, caller)
    assert.equal(((await create({ audience, dry_run: true })).json as Fields)['tokens'], 1)
    assert.equal((await create({ audience })).status, 201)
    assert.deepEqual((await introspect(service, key, token)).json, { active: false })
  }
})

test('an agent whose resource is spelled anew loses nothing', async () => {
  const one = await service.createAgent({ resources: [REGISTERED] })
  const token = await issue(service, one, { resource: REGISTERED })
  await administer('PATCH', `agents/${one.agentId}`, { resources: [SPELLED] })
  const { key } = await service.createApiKey('tokens:introspect')
  assert.equal(((await introspect(service, key, token)).json as Fields)['active'], true)
  assert.equal(await audienceOf(REGISTERED, one), SPELLED)
})

test('an agent that receives tokens for another spelling may exchange the token', async () => {
  const token = await issue(service, agent, { resource: REGISTERED })
  const exchanging = { grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE], actsFor: ['*'], receives: [SPELLED] } as const
  assert.equal((await askExchange(service, await service.createAgent(exchanging), token)).status, 200)
})
