// Token exchange by an agent whose oldest live token ends where it has as many as it may: never the one that is exchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENT_CREDENTIALS, TOKEN_EXCHANGE } from '../../../../api/values/delegation.ts'
import { askExchange, exchange } from '../../../../testkit/callers/exchanges.ts'
import { introspect, issue } from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, AUDIENCE } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const apiKey = service.apiKey('tokens:introspect')
const other = service.agent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })

const makeLimited = (liveTokensMax: number): Promise<AgentOfTest> =>
  service.createAgent({
    grantTypes: [CLIENT_CREDENTIALS, TOKEN_EXCHANGE],
    actsFor: ['*'],
    receives: [AUDIENCE],
    liveTokensMax,
    atLiveTokensMax: 'supersede',
    lifetimeSeconds: 300,
  })

const areActive = (...tokens: readonly string[]): Promise<readonly unknown[]> =>
  Promise.all(
    tokens.map(async token => ((await introspect(service, apiKey.key, token)).json as { active: unknown }).active),
  )

test('room for an exchanged token is made by the oldest that is none of its ancestors', async () => {
  const agent = await makeLimited(2)
  const parent = await issue(service, agent)
  service.clock.advance(1)
  const second = await issue(service, agent)
  const child = await exchange(service, agent, parent)
  assert.deepEqual(await areActive(parent, second, child), [true, false, true])
})

test('nor by one further up that the agent holds', async () => {
  const agent = await makeLimited(2)
  const root = await issue(service, agent)
  service.clock.advance(1)
  const between = await exchange(service, other, root)
  const second = await issue(service, agent)
  const child = await exchange(service, agent, between)
  assert.deepEqual(await areActive(root, between, second, child), [true, true, false, true])
})

test('where the agent holds ancestors alone, the exchange waits for the first to expire, and nothing ends', async () => {
  const agent = await makeLimited(1)
  const parent = await issue(service, agent)
  const { status, headers, json } = await askExchange(service, agent, parent)
  const { error } = json as { error: unknown }
  assert.deepEqual([status, headers['retry-after'], error], [429, '300', 'too_many_requests'])
  assert.deepEqual(await areActive(parent), [true])
})
