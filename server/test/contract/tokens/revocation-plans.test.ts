// POST /api/v1/revocations with the plan of a dry run: it ends what was counted, and no more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { makePlanSigning } from '../../../src/keys/at-rest/sealed-bytes.ts'
import { formatPlan } from '../../../src/domain/ledger/plan.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, assertProblem, introspect, issue, postJson } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, AUDIENCE, KEY_ENCRYPTION_KEY } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/api/v1/revocations'
const OUTDATED = 'More or other tokens would end than the plan has: make another dry run. Nothing was ended.'
const EXPIRED = 'The plan is older than 120 s: make another dry run.'
const NOT_OURS =
  'plan_id is no plan of this service, or of before its key-encryption key was changed: make another dry run.'

const service = useService()
const revoker = service.apiKey('tokens:revoke')
const other = service.apiKey('tokens:revoke')
const introspector = service.apiKey('tokens:introspect')

const create = (body: object, key = revoker.key): Promise<Answer> => postJson(service, PATH, body, { 'x-api-key': key })

const planOf = async (conditions: object): Promise<string> => {
  const answer = await create({ ...conditions, dry_run: true })
  assert.equal(answer.status, 200, answer.text)
  const { plan_id, plan_expires_at } = answer.json as { readonly plan_id: string; readonly plan_expires_at: string }
  assert.equal(Date.parse(plan_expires_at), service.clock.wall() + 120_000)
  // What comes later is of a later millisecond.
  service.clock.advance(1)
  return plan_id
}

const isActive = async (token: string): Promise<boolean> =>
  (await introspect(service, introspector.key, token)).text.startsWith('{"active":true')

test('a revocation with a plan ends what the dry run counted', async () => {
  const agent = await service.createAgent()
  const token = await issue(service, agent)
  const conditions = { agent_id: agent.agentId }
  const answer = await create({ ...conditions, plan_id: await planOf(conditions), note: 'of the plan alone' })
  assert.equal(answer.status, 201, answer.text)
  assert.equal(await isActive(token), false)
})

test('a matching token that was issued since makes the plan outdated, and nothing ends; max_extra allows so many', async () => {
  const [agent, bystander] = [await service.createAgent(), await service.createAgent()]
  const conditions = { agent_id: agent.agentId }
  const first = await issue(service, agent)
  const plan = await planOf(conditions)
  const later = [await issue(service, agent), await issue(service, agent)]
  await issue(service, bystander)
  for (const extra of [{}, { max_extra: 0 }, { max_extra: 1 }]) {
    assertProblem(await create({ ...conditions, plan_id: plan, ...extra }), 409, 'plan_outdated', OUTDATED)
  }
  for (const token of [first, ...later]) assert.equal(await isActive(token), true)
  assert.equal((await create({ ...conditions, plan_id: plan, max_extra: 2 })).status, 201)
  for (const token of [first, ...later]) assert.equal(await isActive(token), false)
})

test('tokens that do not match, and those that have ended since, do not count', async () => {
  const agent = await service.createAgent({ scope: 'db:* mail:*' })
  await issue(service, agent, { scope: 'db:read' })
  const conditions = { agent_id: agent.agentId, scope: 'db:read' }
  const plan = await planOf(conditions)
  const kept = await issue(service, agent, { scope: 'mail:send' })
  await issue(service, agent, { scope: 'db:read' })
  assert.equal((await create(conditions)).status, 201)
  assert.equal((await create({ ...conditions, plan_id: plan })).status, 201)
  assert.equal(await isActive(kept), true)
})

test('what descends from a covered token, and was got since, counts', async () => {
  const agent = await service.createAgent()
  const grantTypes = [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] as const
  const actor = await service.createAgent({ grantTypes, actsFor: [agent.agentId], receives: [AUDIENCE] })
  const parent = await issue(service, agent)
  const conditions = { agent_id: agent.agentId }
  const plan = await planOf(conditions)
  await exchange(service, actor, parent)
  assertProblem(await create({ ...conditions, plan_id: plan }), 409, 'plan_outdated', OUTDATED)
  assert.equal(await isActive(parent), true)
})

test('another number of agents than owner and labels matched makes the plan outdated', async () => {
  const owner = 'Ada of the plans'
  const token = await issue(service, await service.createAgent({ owner }))
  const plan = await planOf({ owner })
  await service.createAgent({ owner })
  assertProblem(await create({ owner, plan_id: plan }), 409, 'plan_outdated', OUTDATED)
  assert.equal(await isActive(token), true)
})

test('another agent in place of one that owner or labels matched makes the plan outdated, and nothing ends', async () => {
  const owner = 'Grace of the plans'
  const [counted, uncounted] = [await service.createAgent({ owner }), await service.createAgent()]
  const tokens = [await issue(service, counted), await issue(service, uncounted)]
  const headers = await admin(service)
  const conditions = { owner, disable_agents: true }
  const asOperator = (body: object): Promise<Answer> => call(service, { method: 'POST', path: PATH, body }, headers)
  const change = async ({ agentId }: AgentOfTest, changed: object): Promise<void> => {
    const path = `/api/v1/agents/${agentId}`
    const answer = await call(service, { method: 'PATCH', path, body: changed }, headers)
    assert.equal(answer.status, 200, answer.text)
  }
  const plan = ((await asOperator({ ...conditions, dry_run: true })).json as { readonly plan_id: string }).plan_id
  await change(counted, { owner: null })
  await change(uncounted, { owner })
  assertProblem(await asOperator({ ...conditions, plan_id: plan }), 409, 'plan_outdated', OUTDATED)
  for (const token of tokens) assert.equal(await isActive(token), true)
  await change(uncounted, { owner: null })
  await change(counted, { owner })
  assert.equal((await asOperator({ ...conditions, plan_id: plan })).status, 201)
})

test('a plan of an earlier program, which has the number of agents, is outdated', async () => {
  const owner = 'Edsger of the plans'
  const token = await issue(service, await service.createAgent({ owner }))
  const parts = (await planOf({ owner })).split('.').slice(0, -1)
  const signing = makePlanSigning(KEY_ENCRYPTION_KEY)
  const earlier = parts.map((part, n) => (n === 2 ? '1' : part))
  const seal = signing.mac(JSON.stringify(['plan', service.baseUrl, ...earlier]))
  assertProblem(await create({ owner, plan_id: [...earlier, seal].join('.') }), 409, 'plan_outdated', OUTDATED)
  assert.equal(await isActive(token), true)
})

test('a plan is valid for 120 s, by the clock of the store', async () => {
  const agent = await service.createAgent()
  const conditions = { agent_id: agent.agentId }
  const [first, second] = [await planOf(conditions), await planOf(conditions)]
  // The first was made 2 ms ago, the second 1 ms.
  service.clock.advance(119_998)
  assertProblem(await create({ ...conditions, plan_id: first }), 409, 'plan_outdated', EXPIRED)
  assert.equal((await create({ ...conditions, plan_id: second })).status, 201)
})

test('the plan of another caller, of other conditions, of another service or key, or changed by a character, is refused', async () => {
  const agent = await service.createAgent()
  const conditions = { agent_id: agent.agentId }
  const plan = await planOf(conditions)
  const refused = async (body: object, description: string, key = revoker.key): Promise<void> =>
    assertProblem(await create(body, key), 400, 'invalid_request', description)
  await refused(
    { ...conditions, plan_id: plan },
    'plan_id is the plan of another caller: make a dry run of your own.',
    other.key,
  )
  await refused(
    { ...conditions, scope: 'db:read', plan_id: plan },
    'plan_id is the plan of other conditions: make a dry run with these.',
  )
  const bound = {
    issuer: service.baseUrl,
    caller: { kind: 'api_key', id: revoker.id, permissions: [], audiences: null },
    conditions: {
      agentId: agent.agentId,
      credentialId: null,
      scope: null,
      audience: null,
      kid: null,
      issuedBefore: null,
      lineage: null,
      selection: null,
    },
  } as const
  const counted = { instant: service.clock.wall(), agentsDigest: null }
  const strange = makePlanSigning(new Uint8Array(32))
  const parts = plan.split('.')
  const changed = parts.map((_, n) => parts.map((part, at) => (at === n ? `${part}1` : part)).join('.'))
  for (const text of [
    '',
    'x',
    '\u0000',
    '\uD800.\uD800.\uD800.\uD800.\uD800.\uD800',
    formatPlan(strange, bound, counted),
    `${plan}.`,
    ...changed,
  ]) {
    await refused({ ...conditions, plan_id: text }, NOT_OURS)
  }
  assert.equal((await create({ ...conditions, plan_id: 'x'.repeat(513) })).status, 400)
  assert.equal((await create({ ...conditions, plan_id: plan, dry_run: true })).status, 400)
  assert.equal((await create({ ...conditions, max_extra: 1 })).status, 400)
  for (const max of [-1, 10_001, 0.5]) {
    assert.equal((await create({ ...conditions, plan_id: plan, max_extra: max })).status, 400)
  }
  assert.equal((await create({ ...conditions, plan_id: plan })).status, 201)
})

test('of a repeat with the same id nothing more ends, whatever became of the plan', async () => {
  const agent = await service.createAgent()
  const conditions = { agent_id: agent.agentId, id: '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a17' }
  const plan = await planOf(conditions)
  assert.equal((await create({ ...conditions, plan_id: plan })).status, 201)
  const token = await issue(service, agent)
  service.clock.advance(120_000)
  assert.equal((await create({ ...conditions, plan_id: plan })).status, 200)
  assert.equal(await isActive(token), true)
})
