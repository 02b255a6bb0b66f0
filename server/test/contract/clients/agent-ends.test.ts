// Agents with an end, over HTTP: their last tokens live shorter, none outlives them, and from then on they are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { askExchange, exchange } from '../../../../testkit/callers/exchanges.ts'
import { type Answer, askToken, claimsOf, issue } from '../../../../testkit/callers/requests.ts'
import { AUDIENCE, type AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

/** On a whole second, as `exp` is. */
const inSeconds = (seconds: number): string =>
  new Date(1000 * (Math.floor(service.clock.wall() / 1000) + seconds)).toISOString()

const create = (more: Body): Promise<AgentOfTest> => api.create({ default_scope: 'db:read', ...more })

const lifetimeIn = (token: string): number => Number(claimsOf(token)['exp']) - Number(claimsOf(token)['iat'])

const errorIn = ({ status, json }: Answer) => [status, (json as { error: string }).error]

/** The reason with which each token of the agent ended, by its `jti`. */
const reasonsOf = async ({ agentId }: AgentOfTest): Promise<Readonly<Record<string, unknown>>> =>
  Object.fromEntries((await api.ended(agentId)).map(one => [String(one['id']), one['termination_reason']]))

const idOf = (token: string): string => String(claimsOf(token)['jti'])

test('its tokens get the longest lifetime that is left, then none, and from its end on it is refused until that is moved', async () => {
  const agent = await create({ expires_at: inSeconds(300) })
  assert.equal(lifetimeIn(await issue(service, agent)), 300)
  for (const [seconds, lifetime] of [
    [1, 240],
    [60, 180],
    [220, 15],
  ] as const) {
    service.clock.advance(1000 * seconds)
    const token = await issue(service, agent)
    assert.equal(lifetimeIn(token), lifetime)
  }
  service.clock.advance(5000)
  assert.deepEqual(errorIn(await askToken(service, agent)), [400, 'unauthorized_client'])
  service.clock.advance(14_000)
  assert.deepEqual(errorIn(await askToken(service, agent)), [401, 'invalid_client'])
  await api.patch(agent.agentId, { expires_at: inSeconds(1000) })
  assert.equal(lifetimeIn(await issue(service, agent)), 300)
  await api.patch(agent.agentId, { expires_at: null })
  assert.equal((await api.show(agent.agentId))['expires_at'], null)
})

test('a lifetime of its own that fits is kept, and a longer one is shortened', async () => {
  const agent = await create({ expires_at: inSeconds(10), lifetime_seconds: 5 })
  assert.equal(lifetimeIn(await issue(service, agent)), 5)
  await api.patch(agent.agentId, { expires_at: inSeconds(1000), lifetime_seconds: 1001 })
  assert.equal(lifetimeIn(await issue(service, agent)), 900)
})

test('an end that a live token would outlive ends them all, with what was got for them; a later one ends none', async () => {
  const agent = await create({})
  const relay = await create({ grant_types: [TOKEN_EXCHANGE], acts_for: ['*'], receives: [AUDIENCE] })
  const token = await issue(service, agent)
  const got = await exchange(service, relay, token)
  await api.patch(agent.agentId, { expires_at: inSeconds(300) })
  assert.deepEqual([await api.isActive(token), await api.isActive(got)], [true, true])
  const body = { expires_at: inSeconds(299), dry_run: true }
  const { json } = await api.act('PATCH', `/${agent.agentId}`, body)
  const { tokens, descendants, reasons } = (json as { ends: Body }).ends
  assert.deepEqual([tokens, descendants, reasons], [1, 1, ['agent_expired']])
  assert.deepEqual([await api.isActive(token), await api.isActive(got)], [true, true])
  await api.patch(agent.agentId, { expires_at: body.expires_at })
  assert.deepEqual([await api.isActive(token), await api.isActive(got)], [false, false])
  assert.deepEqual(await reasonsOf(agent), { [idOf(token)]: 'agent_expired' })
  assert.deepEqual(await reasonsOf(relay), { [idOf(got)]: 'ancestor_ended' })
  const last = await issue(service, agent)
  assert.equal(lifetimeIn(last), 240)
  await api.patch(agent.agentId, { expires_at: inSeconds(250) })
  assert.equal(await api.isActive(last), true)
})

test('a token that it exchanges for another’s ends with it at the latest', async () => {
  const holder = await create({})
  const actor = await create({
    grant_types: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE],
    acts_for: ['*'],
    receives: [AUDIENCE],
    expires_at: inSeconds(70),
  })
  const token = await issue(service, holder)
  assert.equal(lifetimeIn(await exchange(service, actor, token)), 60)
  service.clock.advance(60_000)
  assert.deepEqual(errorIn(await askExchange(service, actor, token)), [400, 'unauthorized_client'])
})

test('what is no time is refused, and one in the past stops the agent', async () => {
  const answer = await api.act('POST', '', { name: api.newName(), scope: 'db:read', expires_at: 'tomorrow' })
  assert.equal(answer.status, 400)
  assert.match(answer.text, /expires_at is not an RFC 3339 time/)
  const agent = await create({ expires_at: inSeconds(0) })
  assert.deepEqual(errorIn(await askToken(service, agent)), [401, 'invalid_client'])
})
