// /api/v1/agents over HTTP: what each operation answers, and what it ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENTS, type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import {
  askToken,
  assertPlainHeaders,
  assertProblem,
  claimsOf,
  get,
  issue,
  sendJson,
} from '../../../../testkit/callers/requests.ts'
import { readRows } from '../../../../testkit/stores/store-file.ts'
import { AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const service = useService()
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

const reasonsOf = async (id: string): Promise<readonly unknown[]> =>
  (await api.ended(id)).map(record => record['termination_reason'])

test('creating an agent: 201, its address, the record, and its secret this once', async () => {
  const answer = await api.act('POST', '', { name: 'reports', scope: 'db:write db:read' })
  assert.equal(answer.status, 201)
  assertPlainHeaders(answer)
  const { agent_id, client_secret, ...rest } = answer.json as Body
  assert.match(String(agent_id), UUID)
  assert.match(String(client_secret), /^mmc_[0-9A-Za-z]{43,}$/)
  assert.equal(answer.headers['location'], `${service.baseUrl}${AGENTS}/${String(agent_id)}`)
  assert.deepEqual(rest, {
    client_id: agent_id,
    name: 'reports',
    description: null,
    owner: null,
    labels: {},
    scope: 'db:read db:write',
    default_scope: null,
    resources: [],
    default_audience: null,
    lifetime_seconds: null,
    tokens_per_minute: null,
    tokens_per_day: null,
    live_tokens_max: null,
    at_live_tokens_max: 'refuse',
    dpop_bound_access_tokens: false,
    tls_client_certificate_bound_access_tokens: false,
    grant_types: ['client_credentials'],
    acts_for: [],
    receives: [],
    issuer_clients: {},
    claims: {},
    expires_at: null,
    created_at: '2026-11-21T09:30:00.000Z',
    disabled_at: null,
    suspended_at: null,
    managed_by: null,
  })
  const shown = await get(service, `${AGENTS}/${String(agent_id)}`, api.reader)
  assert.deepEqual([shown.status, shown.json], [200, { agent_id, ...rest }])
  assertPlainHeaders(shown)
})

test('an agent with everything said of it gets tokens by it', async () => {
  const settings = {
    description: 'monthly figures',
    owner: 'data',
    labels: { team: 'a', env: 'prod' },
    default_scope: 'db:read',
    resources: ['https://a.example', 'https://b.example'],
    default_audience: 'https://a.example',
    lifetime_seconds: 60,
  }
  const agent = await api.create(settings)
  assert.deepEqual({ ...agent.record, ...settings }, agent.record)
  const { expires_in, scope } = (await askToken(service, agent)).json as Body
  assert.deepEqual([expires_in, scope], [60, 'db:read'])
})

test('a change of given members leaves the others, and null clears what may be none', async () => {
  const marks = { description: 'x', owner: 'data', labels: { a: '1', b: '2' }, lifetime_seconds: 60 }
  const { agentId, record } = await api.create({ ...marks, default_scope: 'db:read', default_audience: AUDIENCE })
  const name = api.newName()
  const renamed = await api.patch(agentId, { name, labels: { b: null, c: '3' } })
  assert.deepEqual(renamed, { ...record, name, labels: { a: '1', c: '3' } })
  const cleared = {
    description: null,
    owner: null,
    default_scope: null,
    default_audience: null,
    lifetime_seconds: null,
  }
  assert.deepEqual(await api.patch(agentId, { ...cleared, labels: null }), { ...renamed, ...cleared, labels: {} })
  assert.deepEqual(await api.show(agentId), { ...renamed, ...cleared, labels: {} })
  assert.deepEqual(await api.patch(agentId, {}), await api.show(agentId))
})

test('a narrowed scope ends the tokens that carry what it lost, and refuses it; widening revives none', async () => {
  const agent = await api.create()
  const [lost, kept] = [
    await issue(service, agent, { scope: 'db:write' }),
    await issue(service, agent, { scope: 'db:read' }),
  ]
  await api.patch(agent.agentId, { scope: 'db:read' })
  assert.deepEqual([await api.isActive(lost), await api.isActive(kept)], [false, true])
  assert.deepEqual(await reasonsOf(agent.agentId), ['scope_removed'])
  assert.equal((await askToken(service, agent, { scope: 'db:write' })).status, 400)
  await api.patch(agent.agentId, { scope: 'db:*' })
  assert.deepEqual([await api.isActive(lost), await api.isActive(kept)], [false, true])
  assert.equal((await askToken(service, agent, { scope: 'db:write' })).status, 200)
})

test('narrowed resources end the tokens for what it lost, and not those for the default audience of the service', async () => {
  const agent = await api.create({ default_scope: 'db:read' })
  const lost = await issue(service, agent, { resource: 'https://other.example' })
  const kept = [await issue(service, agent, { resource: 'https://a.example' }), await issue(service, agent)]
  await api.patch(agent.agentId, { resources: ['https://a.example'] })
  assert.equal(await api.isActive(lost), false)
  for (const token of kept) assert.equal(await api.isActive(token), true)
  assert.deepEqual(await reasonsOf(agent.agentId), ['audience_removed'])
  assert.equal((await askToken(service, agent, { resource: 'https://other.example' })).status, 400)
})

test('a changed default audience ends the tokens for the one before, unless it stands among the resources', async () => {
  const [OWN, OTHER] = ['https://own.example', 'https://other.example']
  for (const [resources, isKept] of [
    [[], false],
    [[OWN], true],
  ] as const) {
    const agent = await api.create({ default_scope: 'db:read', resources, default_audience: OWN })
    const token = await issue(service, agent)
    await api.patch(agent.agentId, { default_audience: OTHER })
    assert.equal(await api.isActive(token), isKept)
    assert.deepEqual(await reasonsOf(agent.agentId), isKept ? [] : ['audience_removed'])
    assert.equal((await askToken(service, agent, { resource: OWN })).status, isKept ? 200 : 400)
    assert.equal((await askToken(service, agent, { resource: OTHER })).status, 200)
  }
})

test('a change that takes scope and audience from a token ends it once, with scope_removed', async () => {
  const agent = await api.create({ resources: ['https://a.example', 'https://b.example'] })
  const [scope, resource] = ['db:write', 'https://b.example']
  const both = await issue(service, agent, { scope, resource })
  const audience = await issue(service, agent, { scope: 'db:read', resource })
  await api.patch(agent.agentId, { scope: 'db:read', resources: ['https://a.example'] })
  const reasons = new Map((await api.ended(agent.agentId)).map(one => [one['id'], one['termination_reason']]))
  const reasonOf = (token: string): unknown => reasons.get(claimsOf(token)['jti'])
  assert.deepEqual([reasonOf(both), reasonOf(audience), reasons.size], ['scope_removed', 'audience_removed', 2])
})

test('a changed lifetime and default scope hold for the next token', async () => {
  const agent = await api.create({ default_scope: 'db:read' })
  await issue(service, agent)
  await api.patch(agent.agentId, { default_scope: 'db:write', lifetime_seconds: 30 })
  const { expires_in, scope } = (await askToken(service, agent)).json as Body
  assert.deepEqual([expires_in, scope], [30, 'db:write'])
})

test('disabling ends its live tokens and refuses new ones; enabling revives none', async () => {
  const agent = await api.create({ default_scope: 'db:read' })
  const token = await issue(service, agent)
  const disabled = await api.act('POST', `/${agent.agentId}/disable`)
  assert.deepEqual(
    [disabled.status, disabled.json],
    [200, { ...agent.record, disabled_at: '2026-11-21T09:30:00.000Z', changed: true }],
  )
  assert.equal(await api.isActive(token), false)
  assert.equal((await askToken(service, agent)).status, 401)
  assert.deepEqual(await reasonsOf(agent.agentId), ['agent_disabled'])
  const enabled = await api.act('POST', `/${agent.agentId}/enable`, {})
  assert.deepEqual([enabled.status, enabled.json], [200, { ...agent.record, changed: true }])
  for (const [verb, changed] of [
    ['enable', false],
    ['disable', true],
    ['disable', false],
    ['enable', true],
  ] as const) {
    const answer = await api.act('POST', `/${agent.agentId}/${verb}`, {})
    assert.equal((answer.json as { changed: unknown }).changed, changed)
  }
  assert.equal(await api.isActive(token), false)
  assert.equal(await api.isActive(await issue(service, agent)), true)
})

test('disabling and enabling take a note, for the history and the audit log; one that is none changes nothing', async () => {
  const agent = await api.create({ default_scope: 'db:read' })
  await issue(service, agent)
  for (const verb of ['disable', 'enable']) {
    const answer = await api.act('POST', `/${agent.agentId}/${verb}`, { note: ' blank before' })
    const description = 'note is not 1 to 500 printable characters without spaces around them.'
    assertProblem(answer, 400, 'invalid_request', description)
    const unknown = await api.act('POST', `/${agent.agentId}/${verb}`, { reason: 'x' })
    assertProblem(unknown, 400, 'invalid_request', 'The body has a member that this operation does not know: reason.')
  }
  assert.deepEqual(await api.show(agent.agentId), agent.record)
  assert.equal((await api.act('POST', `/${agent.agentId}/disable`, { note: 'it runs away' })).status, 200)
  assert.equal((await api.act('POST', `/${agent.agentId}/enable`, { note: null })).status, 200)
  assert.deepEqual(
    (await api.ended(agent.agentId)).map(({ note }) => note),
    ['it runs away'],
  )
  const sql = `select kind, note from audit where subject = ? and kind <> 'agent.create' order by n`
  assert.deepEqual(readRows(service.storeFile, sql, agent.agentId), [
    { kind: 'agent.disable', note: 'it runs away' },
    { kind: 'agent.enable', note: null },
  ])
})

test('deleting: 204; its tokens are dead, it is nowhere, its name is free and its id is not', async () => {
  const agent = await api.create({ default_scope: 'db:read' })
  const token = await issue(service, agent)
  const deleted = await api.act('DELETE', `/${agent.agentId}?note=it%20is%20done`)
  assert.deepEqual([deleted.status, deleted.text], [204, ''])
  assertPlainHeaders(deleted)
  assert.equal(await api.isActive(token), false)
  assert.equal((await askToken(service, agent)).status, 401)
  assert.deepEqual(
    (await api.ended(agent.agentId)).map(one => [one['termination_reason'], one['note']]),
    [['agent_deleted', 'it is done']],
  )
  const calls = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/disable'],
    ['POST', '/enable'],
  ] as const
  for (const [method, verb] of calls) {
    const headers = method === 'GET' ? api.reader : api.writer
    const body = method === 'PATCH' ? { owner: 'x' } : undefined
    const answer = await sendJson(service, method, `${AGENTS}/${agent.agentId}${verb}`, { body, headers })
    assertProblem(answer, 404, 'not_found', `No agent has the id ${agent.agentId}.`)
  }
  const heir = await api.create({ name: agent.record['name'] })
  assert.notEqual(heir.agentId, agent.agentId)
})

test('history names who ended the tokens: the API key that changed the agent', async () => {
  const agent = await api.create()
  await issue(service, agent, { scope: 'db:write' })
  const { id, key } = await service.createApiKey('agents:write')
  const change = { body: { scope: 'db:read' }, headers: { 'x-api-key': key } }
  await sendJson(service, 'PATCH', `${AGENTS}/${agent.agentId}`, change)
  const [record] = await api.ended(agent.agentId)
  assert.deepEqual(record?.['ended_by'], { type: 'api_key', id })
})

test('two changes of different members at once both hold', async () => {
  const { agentId } = await api.create()
  const changes = Array.from({ length: 20 }, (_, n) => ({ labels: { [`k${n}`]: 'v' } }))
  await Promise.all([...changes, { owner: 'data' }, { scope: 'db:read' }].map(change => api.patch(agentId, change)))
  const { labels, owner, scope } = await api.show(agentId)
  assert.deepEqual([Object.keys(labels as object).length, owner, scope], [20, 'data', 'db:read'])
})

test('of 20 callers that create an agent of one name at once one creates it', async () => {
  const name = api.newName()
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.act('POST', '', { name, scope: 'db:read' })))
  const statuses = answers.map(({ status }) => status)
  assert.deepEqual([statuses.filter(one => one === 201).length, statuses.filter(one => one === 409).length], [1, 19])
  const refused = answers.find(({ status }) => status === 409)
  assert.ok(refused)
  assertProblem(refused, 409, 'already_exists', `An agent named ${name} exists already; choose another name.`)
})
