// Records that files declare, over HTTP: the plan says what will be done and ends, and nothing else is done.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { SETTINGS } from '../../../../api/agent-settings.ts'
import { TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { call } from '../../../../testkit/callers/administration.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { agentNamed, managedApi, SET } from '../../../../testkit/callers/managed-api.ts'
import { get, introspect, postForm } from '../../../../testkit/callers/requests.ts'
import { startIdentityProvider } from '../../../../testkit/identity-providers/identity-provider.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const introspector = service.apiKey('tokens:introspect')
let api: AgentsApi
const { plan, planAll, apply, make, actionOf, refusalOf, post } = managedApi(service)

service.before(async () => {
  api = await makeAgentsApi(service)
})

const workload = (agent: string, subject: string, more: Body = {}): Body => ({
  kind: 'credential',
  agent,
  name: 'ci',
  workload_identity: { issuer: 'https://ci.example', subject, jwks_uri: 'https://ci.example/keys', ...more },
})

const credentialsOf = async (agentId: unknown): Promise<readonly Body[]> =>
  ((await get(service, `/api/v1/agents/${String(agentId)}/credentials`, api.reader)).json as { data: readonly Body[] })
    .data

/** A secret made by hand beside what files declare, and a token by it. */
const tokenOf = async (agentId: string, scope = 'db:read'): Promise<string> => {
  const { json } = await api.act('POST', `/${agentId}/credentials`, { name: 'by hand' })
  const form = {
    grant_type: 'client_credentials',
    client_id: agentId,
    client_secret: (json as Body)['client_secret'] as string,
    scope,
  }
  const answer = await postForm(service, '/oauth/token', form)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { access_token: string }).access_token
}

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector.key, token)).json as Body)['active']

test('an agent is planned, made as planned, and then nothing differs; it has no secret', async () => {
  const record = agentNamed('declared', { labels: { team: 'data' } })
  const planned = await plan(record)
  assert.deepEqual([planned['action'], planned['id'], planned['refusal']], ['create', null, null])
  const { id } = (await apply(record, planned)).json as { id: string }
  const shown = await api.show(id)
  assert.deepEqual([shown['managed_by'], shown['labels']], [`apply/${SET}`, { team: 'data' }])
  assert.deepEqual(await credentialsOf(id), [])
  const again = await plan(record)
  assert.deepEqual([again['action'], again['id'], again['plan_id']], ['none', id, null])
  // A plan of before, of what is there by now, does nothing and succeeds.
  assert.equal(((await apply(record, planned)).json as Body)['action'], 'none')
})

test('what a file leaves out is the default: a label, an owner and a limit go', async () => {
  const { id } = await make(agentNamed('defaults', { labels: { a: '1', b: '2' }, owner: 'Ada', tokens_per_minute: 5 }))
  const planned = await plan(agentNamed('defaults', { labels: { b: '2' } }))
  assert.deepEqual(planned['before'], { owner: 'Ada', labels: { a: '1', b: '2' }, tokens_per_minute: 5 })
  await make(agentNamed('defaults', { labels: { b: '2' } }))
  const { labels, owner, tokens_per_minute: limit } = await api.show(String(id))
  assert.deepEqual([labels, owner, limit], [{ b: '2' }, null, null])
})

/** A value of each setting that is not its default. */
const VALUES: Readonly<Record<keyof typeof SETTINGS, unknown>> = {
  name: 'every setting',
  description: 'has all',
  owner: 'Ada',
  labels: { team: 'x' },
  scope: 'db:* mail:send',
  default_scope: 'db:read',
  resources: ['https://api.example'],
  default_audience: 'https://other.example',
  lifetime_seconds: 120,
  tokens_per_minute: 5,
  tokens_per_day: 50,
  live_tokens_max: 7,
  at_live_tokens_max: 'supersede',
  dpop_bound_access_tokens: true,
  tls_client_certificate_bound_access_tokens: false,
  grant_types: ['client_credentials', TOKEN_EXCHANGE],
  acts_for: ['label:team=x'],
  receives: ['https://api.example'],
  issuer_clients: {},
  claims: { 'https://a.example/level': 3 },
  expires_at: '2099-01-01T00:00:00.000Z',
}

test('each setting is there and back: the record of an agent, declared, differs in nothing', async () => {
  const { id } = await make({ kind: 'agent', ...VALUES })
  const shown = await api.show(String(id))
  const settings = Object.fromEntries(Object.keys(SETTINGS).map(name => [name, shown[name]]))
  assert.deepEqual(settings, VALUES)
  assert.equal(await actionOf({ kind: 'agent', agent_id: id, ...settings }), 'none')
})

test('a change says what it ends, and does it; a token more than was planned, and nothing is done', async () => {
  const { id } = await make(agentNamed('narrowed'))
  const token = await tokenOf(String(id), 'db:write')
  const narrower = agentNamed('narrowed', { scope: 'db:read' })
  const planned = await plan(narrower)
  assert.deepEqual([planned['before'], planned['after']], [{ scope: 'db:*' }, { scope: 'db:read' }])
  assert.deepEqual(planned['ends'], {
    tokens: 1,
    descendants: 0,
    descendant_agents: [],
    exact: true,
    reasons: ['scope_removed'],
  })
  service.clock.advance(1)
  const more = await tokenOf(String(id), 'db:write')
  const grown = await apply(narrower, planned)
  assert.deepEqual([grown.status, (grown.json as Body)['error']], [409, 'plan_outdated'])
  assert.deepEqual([await isActive(token), await isActive(more)], [true, true])
  assert.equal((await apply(narrower, planned, { max_extra: 1 })).status, 200)
  assert.deepEqual([await isActive(token), await isActive(more)], [false, false])
})

test('a plan is of one record, one caller and what was there then', async () => {
  const record = agentNamed('planned', { owner: 'Ada' })
  const { id } = await make(agentNamed('planned'))
  const planned = await plan(record)
  assert.equal((await apply(agentNamed('planned', { owner: 'Eve' }), planned)).status, 400)
  const by = { 'x-api-key': (await service.createApiKey('agents:write')).key }
  const body = { set: SET, document: record, plan_id: planned['plan_id'] }
  assert.equal((await call(service, { method: 'POST', path: '/api/v1/managed/apply', body }, by)).status, 400)
  await api.patch(String(id), { description: 'changed since' })
  assert.equal((await apply(record, planned)).status, 409)
  const anew = await plan(record)
  service.clock.advance(600_000)
  assert.equal((await apply(record, anew)).status, 409)
})

test('what others manage, or nobody, is not touched unless it is adopted', async () => {
  const { agentId } = await api.create({ name: 'by hand' })
  const record = agentNamed('by hand')
  assert.equal(await refusalOf(record), 'already_exists')
  assert.equal(await actionOf(record, { adopt: true }), 'adopt')
  await make(record, { adopt: true })
  assert.equal((await api.show(agentId))['managed_by'], `apply/${SET}`)
  assert.equal(await refusalOf(record, { set: 'other' }), 'already_exists')
  assert.equal(
    await refusalOf({ kind: 'removal', of: 'agent', id: agentId }, { set: 'other', adopt: true }),
    'already_exists',
  )
})

test('of credentials by hand with one name the one that the file has is adopted', async () => {
  const { id } = await make(agentNamed('two of a name'))
  const [first, second] = [workload('two of a name', 'repo:first'), workload('two of a name', 'repo:second')]
  for (const { name, workload_identity } of [first, second])
    assert.equal((await api.act('POST', `/${String(id)}/credentials`, { name, workload_identity })).status, 201)
  assert.equal(await actionOf(first, { adopt: true }), 'adopt')
  assert.equal(await actionOf(second, { adopt: true }), 'adopt')
})

test('an id of one’s own is the agent’s for ever, under any name', async () => {
  const id = randomUUID()
  for (const name of ['first name', 'second name']) await make(agentNamed(name, { agent_id: id }))
  assert.equal(await actionOf(workload(id.toUpperCase(), 'repo:by-id')), 'create')
  assert.equal((await api.show(id))['name'], 'second name')
  assert.equal((await make({ kind: 'removal', of: 'agent', id }))['action'], 'delete')
  assert.equal(await refusalOf(agentNamed('third name', { agent_id: id })), 'already_exists')
  assert.equal(await actionOf({ kind: 'removal', of: 'agent', id }), 'none')
})

test('a credential is made after its agent, replaced where it differs, and deleted with what it got', async () => {
  const agent = agentNamed('builder')
  const first = workload('builder', 'repo:one')
  const plans = await planAll([agent, first])
  assert.deepEqual(
    plans.map(({ action }) => action),
    ['create', 'create'],
  )
  for (const [n, record] of [agent, first].entries()) assert.equal((await apply(record, plans[n] ?? {})).status, 200)
  assert.equal(await actionOf(first), 'none')
  const { id: agentId } = await plan(agent)
  const narrower = workload('builder', 'repo:one', { audience: 'https://mintmark.example' })
  const replaced = await plan(narrower)
  assert.deepEqual([replaced['action'], (replaced['ends'] as Body)['reasons']], ['replace', ['credential_revoked']])
  await make(narrower)
  const live = (await credentialsOf(agentId)).filter(({ revoked_at: revoked }) => revoked === null)
  assert.deepEqual(
    live.map(({ managed_by: by }) => by),
    [`apply/${SET}`],
  )
  assert.equal(await actionOf(narrower), 'none')
  await make({ kind: 'removal', of: 'credential', id: live[0]?.['credential_id'] })
  assert.equal(await actionOf(narrower), 'create', 'what the set itself removed it may make again')
})

test('what was disabled or revoked by hand stays so, whatever the files say', async () => {
  const agent = agentNamed('stopped')
  const key = workload('stopped', 'repo:stopped')
  await make(agent)
  await make(key)
  const { id } = await plan(agent)
  const [credential] = await credentialsOf(id)
  await api.act('POST', `/${String(id)}/credentials/${String(credential?.['credential_id'])}/revoke`, {})
  await api.act('POST', `/${String(id)}/disable`, {})
  const [agentPlan, keyPlan] = await planAll([agent, key])
  assert.deepEqual([agentPlan?.['action'], agentPlan?.['remark']], ['none', 'disabled'])
  assert.deepEqual([keyPlan?.['action'], keyPlan?.['remark']], ['none', 'revoked'])
  await make(agentNamed('stopped', { owner: 'Ada' }))
  assert.notEqual((await api.show(String(id)))['disabled_at'], null)
  assert.equal(await actionOf({ ...key, expires_at: '2099-01-01T00:00:00.000Z' }), 'none')
  assert.equal(await actionOf({ ...key, name: 'by another name' }), 'none')
  const another = workload('stopped', 'repo:another')
  await make(another)
  assert.equal(await actionOf(another), 'none')
  // Also in the place of another one, as when a commit is reverted.
  assert.deepEqual([await actionOf(key), (await plan(key))['remark']], ['none', 'revoked'])
})

const ISSUER = {
  kind: 'issuer',
  alias: 'declared',
  issuer: 'https://id.example',
  jwks_uri: 'https://id.example/keys',
  token_types: ['id_token'],
  scope: 'db:read',
}

test('a trusted issuer is made, changed and deleted; what selects its tokens never changes', async () => {
  const agent = agentNamed('for people', { acts_for: ['issuer:declared'], grant_types: [TOKEN_EXCHANGE] })
  assert.equal(await refusalOf(agent), 'invalid_request')
  const { json } = await post('plan', { set: SET, issuers: ['declared'], documents: [agent] })
  assert.equal((json as { data: readonly Body[] }).data[0]?.['action'], 'create')
  await make(ISSUER)
  assert.equal(await actionOf(ISSUER), 'none')
  assert.deepEqual((await plan({ ...ISSUER, scope: 'db:*' }))['after'], { scope: 'db:*' })
  assert.equal(await refusalOf({ ...ISSUER, subject_claim: 'oid' }), 'invalid_request')
  await make({ kind: 'removal', of: 'issuer', id: 'declared' })
  assert.equal(await refusalOf(ISSUER), 'already_exists')
})

test('who may read agents may plan, who may change them applies, and issuers need their own right', async t => {
  const as = async (permission: Parameters<typeof service.createApiKey>[0], path: string, body: object) =>
    call(
      service,
      { method: 'POST', path: `/api/v1/managed/${path}`, body },
      { 'x-api-key': (await service.createApiKey(permission)).key },
    )
  const records = [agentNamed('rights')]
  assert.equal((await as('agents:read', 'plan', { set: SET, documents: records })).status, 200)
  // Nor is an issuer asked for its metadata by somebody who may not make it.
  const provider = await startIdentityProvider({ algorithms: ['ES256'], path: '/tenant' })
  t.after(() => provider.close())
  provider.fail('other_issuer')
  const misnamed = { ...ISSUER, alias: 'misnamed', issuer: provider.issuer, jwks_uri: null }
  assert.equal(await refusalOf(misnamed), 'invalid_request')
  const { json } = await as('agents:read', 'plan', { set: SET, documents: [misnamed] })
  assert.equal((json as { data: readonly Body[] }).data[0]?.['action'], 'create')
  assert.equal((await as('agents:read', 'apply', { set: SET, document: records[0], plan_id: 'x' })).status, 403)
  const removal = { kind: 'removal', of: 'issuer', id: 'some' }
  assert.equal((await as('agents:write', 'apply', { set: SET, document: removal, plan_id: 'x' })).status, 403)
})

test('of two that apply the same at once both succeed, and the agent is made once', async () => {
  const record = agentNamed('twice')
  const plans = await Promise.all([plan(record), plan(record)])
  const answers = await Promise.all(plans.map(planned => apply(record, planned)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  const actions = answers.map(({ json }) => (json as Body)['action'])
  assert.deepEqual(new Set(actions), new Set(['create', 'none']))
})

test('what a set manages is listed in pages: issuers, agents, credentials', async () => {
  const terms = { set: 'listed' }
  for (const name of ['l1', 'l2']) {
    await make(agentNamed(name), terms)
    await make(workload(name, `repo:${name}`), terms)
  }
  const found: Body[] = []
  let cursor = ''
  do {
    const { json } = await get(service, `/api/v1/managed?set=listed&limit=1${cursor}`, api.reader)
    const page = json as { data: readonly Body[]; next_cursor: string | null }
    found.push(...page.data)
    cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
  } while (cursor !== '')
  assert.deepEqual(
    found.map(({ kind }) => kind),
    ['agent', 'agent', 'credential', 'credential'],
  )
  assert.deepEqual(new Set(found.map(({ name, agent }) => agent ?? name)), new Set(['l1', 'l2']))
})
