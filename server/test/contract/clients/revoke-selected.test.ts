// POST /api/v1/revocations with owner and labels: the agents that match at that instant, in one act.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { admin } from '../../../../testkit/callers/administration.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import {
  type Answer,
  assertProblem,
  claimsOf,
  get,
  introspect,
  issue,
  postJson,
} from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = '/api/v1/revocations'

const service = useService()
const revoker = service.apiKey('tokens:revoke')
const reader = service.apiKey('tokens:read')
const introspector = service.apiKey('tokens:introspect')
let api: AgentsApi

const create = (settings: Body) => api.create({ default_scope: 'db:read', ...settings })

service.before(async () => {
  api = await makeAgentsApi(service)
})

type Headers = Readonly<Record<string, string>>

const revoke = (body: object, headers: Headers = { 'x-api-key': revoker.key }): Promise<Answer> =>
  postJson(service, PATH, body, headers)

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, introspector.key, token)).json as Body)['active']

const areActive = (tokens: readonly string[]): Promise<unknown[]> => Promise.all(tokens.map(isActive))

const tokenOf = async (token: string): Promise<Body> => {
  const path = `/api/v1/tokens/${String(claimsOf(token)['jti'])}`
  return (await get(service, path, { 'x-api-key': reader.key })).json as Body
}

const pick = (body: Body, ...names: readonly string[]) => names.map(name => body[name])

test('the tokens of all agents of an owner end with one revocation, those of others and later ones do not', async () => {
  const owner = `Ada ${randomUUID()}`
  const [one, two] = [await create({ owner }), await create({ owner })]
  const other = await create({ owner: `${owner} the second` })
  const tokens = [await issue(service, one), await issue(service, two), await issue(service, other)]
  const counted = (await revoke({ owner, dry_run: true })).json as Body
  assert.deepEqual(pick(counted, 'tokens', 'tokens_exact', 'agents'), [2, true, 2])
  const answer = await revoke({ owner, note: 'Ada left' })
  assert.equal(answer.status, 201, answer.text)
  const made = answer.json as Body
  assert.deepEqual(pick(made, 'all', 'owner', 'labels', 'disable_agents', 'agents', 'state', 'tokens_moved'), [
    false,
    owner,
    null,
    false,
    2,
    'closed',
    2,
  ])
  assert.deepEqual(await areActive(tokens), [false, false, true])
  assert.equal(await isActive(await issue(service, one)), true)
  const ended = await Promise.all(tokens.slice(0, 2).map(tokenOf))
  for (const token of ended) {
    assert.deepEqual(pick(token, 'termination_reason', 'note', 'revocation_id'), [
      'bulk_revocation',
      'Ada left',
      made['id'],
    ])
  }
})

test('an agent must have the owner and every label that is asked for, and another condition holds beside them', async () => {
  const team = randomUUID()
  const both = await create({ owner: 'Bo', labels: { team, tier: 'one' }, scope: 'db:read db:write' })
  const lacks = await create({ owner: 'Bo', labels: { team } })
  const ofOther = await create({ owner: 'Cy', labels: { team, tier: 'one' } })
  const tokens = [await issue(service, both), await issue(service, lacks), await issue(service, ofOther)]
  const labels = { tier: 'one', team }
  assert.equal((await revoke({ owner: 'Bo', labels, scope: 'db:write' })).status, 201)
  assert.deepEqual(await areActive(tokens), [true, true, true])
  assert.equal((await revoke({ owner: 'Bo', labels, scope: 'db:read' })).status, 201)
  assert.deepEqual(await areActive(tokens), [false, true, true])
  const again = await issue(service, both)
  const made = (await revoke({ owner: 'Bo', labels })).json as Body
  assert.deepEqual(made['labels'], labels)
  assert.deepEqual(await areActive([again, ...tokens]), [false, false, true, true])
})

test('a repeat with the same id ends nothing of an agent that got the owner since, and other conditions are 409', async () => {
  const [id, owner] = [randomUUID(), randomUUID()]
  const first = await create({ owner })
  assert.equal((await revoke({ id, owner, labels: undefined })).status, 201)
  const later = await create({ owner })
  const tokens = [await issue(service, first), await issue(service, later)]
  const repeated = await revoke({ id, owner })
  assert.deepEqual([repeated.status, (repeated.json as Body)['agents']], [200, 1])
  assert.deepEqual(await areActive(tokens), [true, true])
  for (const other of [{ labels: { a: 'b' } }, { scope: 'db:read' }])
    assert.equal((await revoke({ id, owner, ...other })).status, 409)
  for (const agent of [first, later]) await api.act('DELETE', `/${agent.agentId}`)
  assert.equal((await revoke({ id, owner })).status, 200)
  assert.equal((await revoke({ owner })).status, 400)
})

test('an Idempotency-Key that made a revocation is 409 also once nobody matches, and one that selected nobody is not used up', async () => {
  const owner = randomUUID()
  const { agentId } = await create({ owner })
  const headers = { 'x-api-key': revoker.key, 'idempotency-key': randomUUID() }
  const nobody = 'owner, labels: no agent has this owner and these labels.'
  assertProblem(await revoke({ owner: randomUUID() }, headers), 400, 'invalid_request', nobody)
  const made = await revoke({ owner }, headers)
  assert.equal(made.status, 201)
  await api.act('DELETE', `/${agentId}`)
  const again = await revoke({ owner }, headers)
  assert.deepEqual([again.status, pick(again.json as Body, 'id')], [409, pick(made.json as Body, 'id')])
})

test('the agents are disabled in the same act where that is asked for, each with an entry of the audit log', async () => {
  const owner = randomUUID()
  const [one, two] = [await create({ owner }), await create({ owner })]
  await service.disableAgent(two.agentId)
  const token = await issue(service, one)
  const stopper = await admin(service)
  const lacking = 'This API key lacks the permission agents:write.'
  assertProblem(await revoke({ owner, disable_agents: true }), 403, 'insufficient_scope', lacking)
  const made = (await revoke({ owner, disable_agents: true }, stopper)).json as Body
  assert.deepEqual(pick(made, 'agents', 'disable_agents'), [2, true])
  assert.equal(await isActive(token), false)
  const shown = (await get(service, `/api/v1/agents/${one.agentId}`, api.reader)).json as Body
  assert.equal(shown['disabled_at'], made['created_at'])
  const acts = (await get(service, `/api/v1/audit?kind=agent.disable&subject=${one.agentId}`, stopper)).json as Body
  const [{ detail, ...entry } = {}, ...others] = acts['data'] as Body[]
  assert.deepEqual([pick(entry, 'at', 'subject'), others], [[made['created_at'], one.agentId], []])
  const { seq, ...change } = detail as Body
  assert.equal(typeof seq, 'number')
  assert.deepEqual(change, { before: { disabled_at: null }, after: { disabled_at: made['created_at'] } })
})

test('what selects nobody, or an agent twice, is refused and says what to name', async () => {
  const refused = async (body: object, description: string): Promise<void> =>
    assertProblem(await revoke(body), 400, 'invalid_request', description)
  await refused({ owner: randomUUID() }, 'owner, labels: no agent has this owner and these labels.')
  await refused(
    { owner: 'Ada', agent_id: randomUUID() },
    'agent_id names one agent, and goes with neither owner nor labels.',
  )
  await refused({ scope: 'db:read', disable_agents: true }, 'disable_agents goes with owner or labels.')
  await refused({ labels: {} }, 'labels holds none, or more than 8.')
})

test('more tokens than an act moves by itself end with its answer, whichever of the agents holds them', async () => {
  const owner = randomUUID()
  const [one, two, other] = [await create({ owner }), await create({ owner }), await create({ owner: 'Dee' })]
  const many = await Promise.all(
    [one, two, other].flatMap(agent => Array.from({ length: 40 }, () => issue(service, agent))),
  )
  assert.equal((await revoke({ owner })).status, 201)
  const active = await areActive(many)
  assert.deepEqual(
    active,
    many.map((_, n) => n >= 80),
  )
})

test('more agents than one revocation selects are refused, and none of their tokens ends', async () => {
  const owner = randomUUID()
  const agents = await Promise.all(Array.from({ length: 1001 }, () => service.createAgent({ owner })))
  const [one, two] = agents
  assert.ok(one !== undefined && two !== undefined)
  const token = await issue(service, one)
  const description = 'owner, labels: more than 1000 agents match: name labels that fewer have.'
  for (const dry of [true, false])
    assertProblem(await revoke({ owner, dry_run: dry }), 400, 'invalid_request', description)
  assert.equal(await isActive(token), true)
  await api.act('DELETE', `/${two.agentId}`)
  assert.equal((await revoke({ owner })).status, 201)
  assert.equal(await isActive(token), false)
})

test('agents are disabled only where all of their tokens end: no other condition goes with disable_agents', async () => {
  const owner = randomUUID()
  const one = await create({ owner, scope: 'db:read db:write' })
  const token = await issue(service, one)
  const stopper = await admin(service)
  const answer = await revoke({ owner, scope: 'db:write', disable_agents: true }, stopper)
  const shown = (await get(service, `/api/v1/agents/${one.agentId}`, api.reader)).json as Body
  assert.deepEqual([shown['disabled_at'], await isActive(token)], [null, true], `status ${answer.status}`)
  const description = 'disable_agents goes with no condition but owner and labels: a disabled agent holds no token.'
  assertProblem(answer, 400, 'invalid_request', description)
})

/** An API key limited to one audience. */
const limitedKey = async (permissions: readonly string[]): Promise<Headers> => {
  const body = { name: `limited ${randomUUID()}`, permissions, audiences: [AUDIENCE] }
  const made = await postJson(service, '/api/v1/api-keys', body, await admin(service))
  assert.equal(made.status, 201, made.text)
  return { 'x-api-key': String((made.json as Body)['api_key']) }
}

const AUDIENCE = 'https://orders.example'

test('an API key limited to audiences does not learn whether an owner or a label exists, unless it may read agents', async () => {
  const owner = `Ada ${randomUUID()}`
  const agent = await create({ owner, labels: { team: owner }, resources: [AUDIENCE] })
  const token = await issue(service, agent, { resource: AUDIENCE })
  const headers = await limitedKey(['tokens:revoke', 'tokens:read'])
  const description = 'owner, labels: this API key is limited to audiences and lacks the permission agents:read.'
  const there = [{ owner }, { labels: { team: owner } }, { owner, labels: { team: owner } }]
  const nowhere = [{ owner: 'Nobody' }, { labels: { team: 'none' } }, { owner, labels: { team: 'none' } }]
  for (const one of [...there, ...nowhere]) {
    for (const body of [one, { ...one, dry_run: true }, { ...one, id: randomUUID() }]) {
      assertProblem(await revoke({ ...body, audience: AUDIENCE }, headers), 403, 'insufficient_scope', description)
    }
  }
  assert.equal(await isActive(token), true)
  const knowing = await limitedKey(['tokens:revoke', 'agents:read'])
  const answer = await revoke({ owner, audience: AUDIENCE }, knowing)
  assert.deepEqual([answer.status, ...pick(answer.json as Body, 'owner', 'agents')], [201, owner, 1])
  assert.equal(await isActive(token), false)
  const shown = (await get(service, `${PATH}/${String((answer.json as Body)['id'])}`, headers)).json as Body
  assert.deepEqual(pick(shown, 'audience', 'owner', 'labels', 'agents'), [AUDIENCE, null, null, null])
})
