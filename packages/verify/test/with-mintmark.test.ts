// The verifier with the service itself, over HTTP: what it revokes, disables and exchanges.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { TOKEN_EXCHANGE } from '../../../api/values/delegation.ts'
import { askExchange } from '../../../testkit/callers/exchanges.ts'
import { get, introspect, issue, revoke } from '../../../testkit/callers/requests.ts'
import { until } from '../../../testkit/processes/until.ts'
import { useService } from '../../../testkit/services/service-fixture.ts'
import { AUDIENCE, catchUp } from '../../../testkit/services/test-server.ts'
import { createVerifier, type Verifier, type VerifierOptions } from '../src/index.ts'
import { assertVerified, refusalOf } from './fixtures.ts'

const service = useService({ start: Date.now() })
const agent = service.agent()
const apiKey = service.apiKey('tokens:introspect')

beforeEach(() => catchUp(service))

const follow = async (options: Partial<VerifierOptions> = {}): Promise<Verifier> => {
  const verifier = createVerifier({
    issuer: service.baseUrl,
    audience: AUDIENCE,
    apiKey: apiKey.key,
    whenStale: 'refuse',
    ...options,
  })
  const status = await verifier.ready()
  assert.ok(status.isFresh, status.lastFailure?.problem ?? '')
  return verifier
}

const isRefused = (verifier: Verifier, token: string) => async (): Promise<boolean> =>
  refusalOf(await verifier.verify(token)) === 'revoked'

test('a token that the service revoked, before or after the verifier started, is refused by the feed', async t => {
  const before = await issue(service, agent)
  assert.equal((await revoke(service, before)).status, 200)
  const verifier = await follow()
  t.after(() => verifier.close())
  assert.equal(refusalOf(await verifier.verify(before)), 'revoked')
  const [after, live] = [await issue(service, agent), await issue(service, agent)]
  assertVerified(await verifier.verify(after, { scopes: ['db:read'] }), 'feed')
  assert.equal((await revoke(service, after)).status, 200)
  await until('it is refused', isRefused(verifier, after))
  assertVerified(await verifier.verify(live), 'feed')
  assert.match((await introspect(service, apiKey.key, live)).text, /^\{"active":true/)
})

test('the tokens of a disabled agent are refused, those of others and later ones are not', async t => {
  const verifier = await follow()
  t.after(() => verifier.close())
  const [own, other] = [await service.createAgent(), await issue(service, agent)]
  const token = await issue(service, own)
  assertVerified(await verifier.verify(token), 'feed')
  await service.disableAgent(own.agentId)
  await until('it is refused', isRefused(verifier, token))
  assertVerified(await verifier.verify(other), 'feed')
  await service.enableAgent(own.agentId)
  assertVerified(await verifier.verify(await issue(service, own)), 'feed')
  assert.equal(refusalOf(await verifier.verify(token)), 'revoked')
})

test('a token that was got by exchange is refused once the token that it was got for ends', async t => {
  const verifier = await follow()
  t.after(() => verifier.close())
  const exchanger = await service.createAgent({ grantTypes: [TOKEN_EXCHANGE], actsFor: ['*'], receives: [AUDIENCE] })
  const parent = await issue(service, agent)
  const answer = await askExchange(service, exchanger, parent)
  const { access_token: child } = answer.json as { access_token: string }
  assertVerified(await verifier.verify(child), 'feed')
  assert.equal((await revoke(service, parent)).status, 200)
  await until('it is refused', isRefused(verifier, child))
})

type Use = { readonly agent_id: string; readonly count: number }
type Listed = {
  readonly name: string
  readonly position: number
  readonly state: string
  readonly uses: readonly [Use]
}

test('a verifier with a name reports where it is as soon as it applied a change, and whose tokens it accepted', async t => {
  const reader = { 'x-api-key': (await service.createApiKey('tokens:read')).key }
  const listed = async (): Promise<readonly Listed[]> =>
    ((await get(service, '/api/v1/verifiers', reader)).json as { data: readonly Listed[] }).data
  const named = await follow({ name: 'orders-1' })
  const nameless = await follow()
  t.after(() => named.close())
  t.after(() => nameless.close())
  const own = await service.createAgent()
  const [used, ended] = [await issue(service, own), await issue(service, own)]
  for (let n = 0; n < 3; n += 1) assertVerified(await named.verify(used), 'feed')
  assert.equal((await revoke(service, ended)).status, 200)
  await until('it is refused', isRefused(named, ended))
  const { position } = named.status()
  await until('the service knows', async () => (await listed()).some(one => one.position === position))
  const [one, ...others] = await listed()
  assert.deepEqual([one?.name, one?.state, others.length], ['orders-1', 'current', 0])
  // The last token was accepted too, until the feed brought its end.
  const [{ agent_id: agentId, count }] = one?.uses ?? [{ agent_id: '', count: 0 }]
  assert.ok(agentId === own.agentId && count >= 3, `${agentId}: ${count}`)
})
