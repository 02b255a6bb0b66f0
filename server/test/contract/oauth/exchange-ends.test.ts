// What ends tokens that were got by token exchange: narrowing whom their agent may act for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { type AgentsApi, type Body, makeAgentsApi } from '../../../../testkit/callers/agents-api.ts'
import { askExchange, exchange } from '../../../../testkit/callers/exchanges.ts'
import { claimsOf, issue } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, type AgentOfTestRequest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const ORDERS = 'https://orders.example'
const BOTH = [CLIENT_CREDENTIALS, TOKEN_EXCHANGE] as const
const LABEL = 'label:team=data'
const NOBODY = '6f1d7c1e-4f5a-4c63-9d0f-2b1a7c3e9a10'

const service = useService()
const caller = service.agent({ labels: { team: 'data' } })
let api: AgentsApi

service.before(async () => {
  api = await makeAgentsApi(service)
})

const setTo = (agent: AgentOfTest, settings: Body): Promise<Body> => api.patch(agent.agentId, settings)

const makeActor = (settings: AgentOfTestRequest = {}): Promise<AgentOfTest> =>
  service.createAgent({ grantTypes: BOTH, actsFor: [caller.agentId], receives: [AUDIENCE, ORDERS], ...settings })

const reasonOf = async (agent: AgentOfTest, token: string): Promise<unknown> =>
  (await api.ended(agent.agentId)).find(({ id }) => id === claimsOf(token)['jti'])?.['termination_reason']

type Settings = { readonly before: AgentOfTestRequest; readonly change: Body }

/** The settings that an agent is changed from, and to, by what they are about; `id` is the caller's. */
type Changes = Readonly<Record<string, (id: string) => Settings>>

const NARROWINGS: Changes = {
  'an agent leaves acts_for': id => ({ before: { actsFor: [id, NOBODY] }, change: { acts_for: [id] } }),
  '* leaves acts_for': id => ({ before: { actsFor: ['*', id] }, change: { acts_for: [id] } }),
  'a label leaves acts_for': id => ({ before: { actsFor: [LABEL, id] }, change: { acts_for: [id] } }),
  'an audience leaves receives': () => ({ before: {}, change: { receives: [AUDIENCE] } }),
  'the grant is taken away': () => ({ before: {}, change: { grant_types: [CLIENT_CREDENTIALS] } }),
}

for (const [title, settings] of Object.entries(NARROWINGS)) {
  test(`${title}: what the agent got for tokens of others ends, and what others got for that`, async () => {
    const { before, change } = settings(caller.agentId)
    const agent = await makeActor(before)
    const own = await issue(service, agent)
    const narrower = await exchange(service, agent, own)
    const got = await exchange(service, agent, await issue(service, caller))
    const narrowed = await exchange(service, agent, got)
    const other = await makeActor({ actsFor: ['*'] })
    const below = await exchange(service, other, got)
    await setTo(agent, change)
    for (const token of [got, narrowed, below]) assert.equal(await api.isActive(token), false)
    for (const token of [own, narrower]) assert.equal(await api.isActive(token), true)
    assert.equal(await reasonOf(agent, got), 'actor_removed')
    for (const [holder, token] of [
      [agent, narrowed],
      [other, below],
    ] as const) {
      assert.equal(await reasonOf(holder, token), 'ancestor_ended')
    }
  })
}

const HARMLESS: Changes = {
  'an entry that * still covers': id => ({ before: { actsFor: ['*', id, LABEL] }, change: { acts_for: ['*', LABEL] } }),
  'another order': id => ({ before: { actsFor: [LABEL, id] }, change: { acts_for: [id, LABEL] } }),
  more: () => ({ before: {}, change: { acts_for: ['*'], receives: [AUDIENCE, ORDERS, 'https://more.example'] } }),
  'client_credentials taken away': () => ({ before: {}, change: { grant_types: [TOKEN_EXCHANGE] } }),
}

for (const [title, settings] of Object.entries(HARMLESS)) {
  test(`a change of an agent that takes no actor away ends nothing: ${title}`, async () => {
    const { before, change } = settings(caller.agentId)
    const agent = await makeActor(before)
    const tokens = [await issue(service, agent), await exchange(service, agent, await issue(service, caller))]
    await setTo(agent, change)
    for (const token of tokens) assert.equal(await api.isActive(token), true)
  })
}

test('a changed label of the agent that is acted for ends nothing', async () => {
  const [holder, agent] = [
    await service.createAgent({ labels: { team: 'x' } }),
    await makeActor({ actsFor: ['label:team=x'] }),
  ]
  const token = await exchange(service, agent, await issue(service, holder))
  await setTo(holder, { labels: null })
  assert.equal(await api.isActive(token), true)
})

test('from the answer on, no agent is granted by what it may no longer do', async () => {
  const agent = await makeActor()
  const parent = await issue(service, caller)
  // Remembered by now.
  await exchange(service, agent, parent)
  await setTo(agent, { grant_types: [TOKEN_EXCHANGE] })
  const { status } = await askExchange(service, agent, parent, { grant_type: CLIENT_CREDENTIALS })
  assert.equal(status, 400)
  await exchange(service, agent, parent)
  await setTo(agent, { acts_for: [] })
  assert.equal((await askExchange(service, agent, parent)).status, 400)
})

test('from the answer on, an agent is granted what it now may do, whatever is remembered of it', async () => {
  const agent = await makeActor({ actsFor: [], receives: [] })
  const parent = await issue(service, caller)
  const settings: readonly Body[] = [{ acts_for: [caller.agentId] }, { receives: [AUDIENCE] }]
  for (const one of settings) {
    assert.equal((await askExchange(service, agent, parent)).status, 400)
    await setTo(agent, one)
  }
  await exchange(service, agent, parent)
})
