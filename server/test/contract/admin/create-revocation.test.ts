// POST /api/v1/revocations, the kill switch, and GET /api/v1/revocations/{id}. What each condition covers is the store's own test.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Permission } from '../../../../api/values/access.ts'
import { type Document, readDescription } from '../../../../testkit/services/described.ts'
import {
  type Answer,
  assertPlainHeaders,
  assertProblem,
  bearer,
  claimsOf,
  get,
  introspect,
  issue,
  postJson,
} from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Fields = Readonly<Record<string, unknown>>

const PATH = '/api/v1/revocations'
const NOT_FOUND = 'No revocation has this id, or none that is kept.'
const OTHER = 'https://other.example'

const service = useService()
const reader = service.apiKey('tokens:read')
const revoker = service.apiKey('tokens:revoke')
const introspector = service.apiKey('tokens:introspect')

const create = (body: object, key = revoker.key): Promise<Answer> => postJson(service, PATH, body, { 'x-api-key': key })

const created = async (body: object): Promise<Fields> => {
  const answer = await create(body)
  assert.equal(answer.status, 201, answer.text)
  assertPlainHeaders(answer)
  return answer.json as Fields
}

const show = (id: unknown, key = reader.key): Promise<Answer> =>
  get(service, `${PATH}/${String(id)}`, { 'x-api-key': key })

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector.key, token)).json as Fields)['active']

const tokenOf = async (token: string): Promise<Fields> => {
  const path = `/api/v1/tokens/${String(claimsOf(token)['jti'])}`
  return (await get(service, path, { 'x-api-key': reader.key })).json as Fields
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

const issueSome = (agent: AgentOfTest, count: number): Promise<readonly string[]> =>
  Promise.all(Array.from({ length: count }, () => issue(service, agent)))

test('ends all tokens of an agent from its answer on, and no later one', async () => {
  const [agent, bystander] = [await service.createAgent(), await service.createAgent()]
  const [token, other] = [await issue(service, agent), await issue(service, bystander)]
  const made = await created({ agent_id: agent.agentId, reason: 'secret_leaked', note: 'a laptop was lost' })
  assert.deepEqual([await isActive(token), await isActive(other)], [false, true])
  assert.equal(await isActive(await issue(service, agent)), true)
  const { created_by, id, ...rest } = made
  assert.equal((created_by as Fields)['type'], 'api_key')
  assert.deepEqual(rest, {
    all: false,
    agent_id: agent.agentId,
    credential_id: null,
    scope: null,
    audience: null,
    kid: null,
    issued_before: null,
    lineage: null,
    subject: null,
    issuer: null,
    owner: null,
    labels: null,
    disable_agents: false,
    agents: null,
    reason: 'secret_leaked',
    note: 'a laptop was lost',
    created_at: timeOf(service.clock.wall()),
    state: 'closed',
    tokens_moved: 1,
    verifiers: { total: 0, holding: 0, missing: [] },
  })
  const { termination_reason, note, revocation_id, ended_by } = await tokenOf(token)
  assert.deepEqual([termination_reason, note, revocation_id], ['secret_leaked', 'a laptop was lost', id])
  assert.deepEqual(ended_by, created_by)
})

test('answers 201 with the address of its record, which shows the same', async () => {
  const agent = await service.createAgent()
  const answer = await create({ agent_id: agent.agentId })
  const { id } = answer.json as { id: string }
  assert.equal(answer.headers['location'], `${service.baseUrl}${PATH}/${id}`)
  const shown = await show(id)
  assert.deepEqual([shown.status, shown.json], [200, answer.json])
})

test('bulk_revocation is its reason unless another is given', async () => {
  const agent = await service.createAgent()
  const token = await issue(service, agent)
  assert.equal((await created({ agent_id: agent.agentId }))['reason'], 'bulk_revocation')
  assert.equal((await tokenOf(token))['termination_reason'], 'bulk_revocation')
})

test('every condition that is given must hold', async () => {
  const agent = await service.createAgent({ scope: 'db:* log:*' })
  const asked = (scope: string, resource: string) => issue(service, agent, { scope, resource })
  const hit = await asked('db:read log:write', OTHER)
  const spared = [await asked('log:write', OTHER), await asked('db:read', AUDIENCE)]
  const { credential_id, kid } = await tokenOf(hit)
  service.clock.advance(1)
  const issued_before = timeOf(service.clock.wall())
  const conditions = { agent_id: agent.agentId, credential_id, kid, scope: 'db:*', audience: OTHER, issued_before }
  const late = await asked('db:read log:write', OTHER)
  const made = await created(conditions)
  assert.deepEqual({ ...made, ...conditions }, made)
  assert.equal(await isActive(hit), false)
  for (const token of [...spared, late]) assert.equal(await isActive(token), true)
})

test('ends every token only where all is said, and nothing else', async () => {
  const token = await issue(service, await service.createAgent())
  assertProblem(
    await create({ reason: 'bulk_revocation' }),
    400,
    'invalid_request',
    'The body names no condition: name one, or end every token by all, set to true.',
  )
  const both = await create({ all: true, scope: 'db:read' })
  assertProblem(both, 400, 'invalid_request', 'all ends every token, and goes with no condition.')
  assert.equal((await create({ all: false })).status, 400)
  assert.equal(await isActive(token), true)
  assert.equal((await created({ all: true }))['all'], true)
  assert.equal(await isActive(token), false)
})

test('the OpenAPI document takes all, or conditions, and neither both nor none', async () => {
  const document = (await get(service, '/openapi.json')).json as Document
  const { holds } = readDescription(document)
  const { schema = {} } = document.paths[PATH]?.['post']?.requestBody?.content['application/json'] ?? {}
  const isTaken = (body: object): boolean => holds('createRevocation', schema, body).length === 0
  for (const body of [{ all: true }, { scope: 'db:read' }, { kid: 'x', audience: 'y', dry_run: true }]) {
    assert.ok(isTaken(body), JSON.stringify(body))
  }
  for (const body of [{}, { note: 'x' }, { all: false }, { all: true, scope: 'db:read' }, { scope: 'db' }]) {
    assert.ok(!isTaken(body), JSON.stringify(body))
  }
})

test('issued_before may be now, and not a millisecond later', async () => {
  const token = await issue(service, await service.createAgent())
  service.clock.advance(1000)
  const late = await create({ scope: 'db:read', issued_before: timeOf(service.clock.wall() + 1) })
  const description = 'issued_before is in the future: a revocation ends no token that is yet to be issued.'
  assertProblem(late, 400, 'invalid_request', description)
  assert.equal(await isActive(token), true)
  await created({ scope: 'db:read', issued_before: timeOf(service.clock.wall()) })
  assert.equal(await isActive(token), false)
})

const REFUSED: readonly (readonly [object, string])[] = [
  [{ agent_id: 'x' }, 'agent_id is not a UUID.'],
  [{ agent_id: randomUUID() }, 'agent_id: no agent has this id.'],
  [{ credential_id: 'x' }, 'credential_id is not a UUID.'],
  [{ credential_id: randomUUID() }, 'credential_id: no credential has this id.'],
  [{ kid: 'nobody' }, 'kid: no signing key of this service has it.'],
  [{ kid: '' }, 'kid is not 1 to 128 printable ASCII characters without spaces.'],
  [{ scope: 'db:read db:write' }, 'scope is not one item of the form resource:action or resource:*.'],
  [{ scope: '*' }, 'scope is not one item of the form resource:action or resource:*.'],
  [{ audience: '' }, 'audience is not 1 to 512 printable ASCII characters without spaces.'],
  [{ issued_before: 'yesterday' }, 'issued_before is not an RFC 3339 time such as 2026-11-21T09:30:05Z.'],
  [{ scope: 'db:read', reason: 'expired' }, 'reason is not one of bulk_revocation, secret_leaked, key_compromise.'],
  [{ scope: 'db:read', note: ' x' }, 'note is not 1 to 500 printable characters without spaces around them.'],
  [{ scope: 'db:read', id: 'x' }, 'id is not a UUID.'],
  [{ scope: 'db:read', agents: [] }, 'The body has a member that this operation does not know: agents.'],
]
for (const [body, description] of REFUSED) {
  test(`${JSON.stringify(body)} is refused, and ends nothing`, async () => {
    const token = await issue(service, await service.createAgent())
    assertProblem(await create(body), 400, 'invalid_request', description)
    assert.equal(await isActive(token), true)
  })
}

test('without a body it is refused', async () => {
  const answer = await postJson(service, PATH, undefined, { 'x-api-key': revoker.key })
  const description = 'The request has no JSON: send an object as application/json, in UTF-8.'
  assertProblem(answer, 400, 'invalid_request', description)
})

test('an unknown or malformed id has no record', async () => {
  for (const id of [randomUUID(), 'x']) assertProblem(await show(id), 404, 'not_found', NOT_FOUND)
})

test('an operator may, and the record names them', async () => {
  const headers = bearer(await service.provider.operatorJwt({ sub: 'ada' }))
  const { json } = await postJson(service, PATH, { scope: 'none:none' }, headers)
  assert.deepEqual((json as Fields)['created_by'], {
    type: 'operator',
    iss: service.provider.issuer,
    sub: 'ada',
  })
})

test('sent again with the same conditions it answers the first, and ends nothing more', async () => {
  const agent = await service.createAgent()
  const body = { id: randomUUID(), agent_id: agent.agentId, note: 'first' }
  const first = await created(body)
  const later = await issue(service, agent)
  const again = await create({ ...body, id: body.id.toUpperCase(), note: 'second' })
  assert.deepEqual([again.status, again.json, again.headers['location']], [200, first, undefined])
  assert.equal(await isActive(later), true)
})

test('with other conditions it is 409, and ends nothing', async () => {
  const agent = await service.createAgent()
  const id = randomUUID()
  await created({ id, agent_id: agent.agentId })
  const token = await issue(service, agent)
  for (const body of [{ agent_id: agent.agentId, scope: 'db:read' }, { all: true }, { scope: 'db:read' }]) {
    const description = 'A revocation with this id and other conditions was made before; choose another id.'
    assertProblem(await create({ id, ...body }), 409, 'already_exists', description)
  }
  assert.equal(await isActive(token), true)
})

test('of fifty callers with one id one makes the revocation', async () => {
  const body = { id: randomUUID(), scope: 'contended:item' }
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(body)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 49)
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
})

test('counts what would end, shows ten of them, and ends nothing', async () => {
  const agent = await service.createAgent()
  const tokens = await issueSome(agent, 12)
  const answer = await create({ agent_id: agent.agentId, dry_run: true, id: randomUUID() })
  assert.equal(answer.status, 200, answer.text)
  const { sample, plan_id, ...rest } = answer.json as { sample: Fields[]; plan_id: string }
  assert.match(plan_id, /^1\./)
  const planExpires = timeOf(service.clock.wall() + 120_000)
  assert.deepEqual(rest, {
    dry_run: true,
    tokens: 12,
    tokens_exact: true,
    agents: null,
    plan_expires_at: planExpires,
  })
  assert.equal(sample.length, 10)
  const ids = new Set(tokens.map(token => claimsOf(token)['jti']))
  assert.ok(sample.every(({ id }) => ids.has(id)))
  assert.equal(new Set(sample.map(({ id }) => id)).size, 10)
  for (const token of tokens) assert.equal(await isActive(token), true)
})

test('counts no token that has ended before, by whatever cause', async () => {
  const agent = await service.createAgent({ lifetimeSeconds: 5 })
  await issueSome(agent, 3)
  service.clock.advance(5000)
  const living = await issueSome(agent, 2)
  const body = { agent_id: agent.agentId, dry_run: true }
  assert.equal(((await create(body)).json as Fields)['tokens'], 2)
  await created({ agent_id: agent.agentId })
  const { tokens, sample } = (await create(body)).json as Fields
  assert.deepEqual([living.length, tokens, sample], [2, 0, []])
})

test('is refused where the revocation would be', async () => {
  for (const body of [{}, { agent_id: randomUUID() }, { scope: 'x' }, { scope: 'a:b', reason: 'expired' }]) {
    assert.equal((await create({ ...body, dry_run: true })).status, 400)
  }
})

test('ends tokens for its audiences only, and sees only revocations of those', async () => {
  const limited = (permission: Permission) => service.createApiKey(permission, [OTHER])
  const [narrow, narrowReader] = [(await limited('tokens:revoke')).key, (await limited('tokens:read')).key]
  const agent = await service.createAgent()
  const [ours, theirs] = [await issue(service, agent, { resource: OTHER }), await issue(service, agent)]
  const description = 'This API key is limited to audiences: it must name one of them as audience.'
  const beyond = [{ agent_id: agent.agentId }, { all: true }, { audience: AUDIENCE }]
  for (const body of beyond.flatMap(one => [one, { ...one, dry_run: true }])) {
    assertProblem(await create(body, narrow), 403, 'insufficient_scope', description)
  }
  const made = await create({ audience: OTHER, agent_id: agent.agentId }, narrow)
  assert.equal(made.status, 201, made.text)
  assert.deepEqual([await isActive(ours), await isActive(theirs)], [false, true])
  assert.equal((await show((made.json as Fields)['id'], narrowReader)).status, 200)
  const wide = await created({ agent_id: agent.agentId })
  assertProblem(await show(wide['id'], narrowReader), 404, 'not_found', NOT_FOUND)
})
