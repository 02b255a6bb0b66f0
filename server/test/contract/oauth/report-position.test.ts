// POST /oauth/revocation-feed/positions: what it takes, and from whom (docs/apis/feed-protocol.md, "Reporting").
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FEED } from '../../../../testkit/feed/feed-client.ts'
import { type Answer, assertError, basic, get, postJson, send } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const PATH = `${FEED}/positions`
const EPOCH = 'E'
const AGENT = '7c1f6f5e-4b52-4a6c-9d0c-5f5b1f6a2f10'

const service = useService()
const orders = service.apiKey('tokens:introspect')
const reader = service.apiKey('tokens:read')

/** The verifiers that the store has, each with the number of agents that it counts. */
const kept = async (): Promise<readonly (readonly [string, number])[]> => {
  const { json } = await get(service, '/api/v1/verifiers', { 'x-api-key': reader.key })
  const { data } = json as { readonly data: readonly { readonly name: string; readonly uses: readonly unknown[] }[] }
  return data.map(({ name, uses }) => [name, uses.length])
}

test('what is no report is 400 and says why, and nothing of it is kept', async () => {
  const good = { name: 'one', epoch: EPOCH, position: 0 }
  const use = { agent_id: AGENT, count: 1 }
  const uses = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ agent_id: `${AGENT.slice(0, -3)}${100 + n}`, count: n }))
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ ...good, name: '' }, /^name is not 1 to 100 printable/],
    [{ ...good, name: 'a\0b' }, /^name is not/],
    [{ ...good, name: 'a\u001b[31m' }, /^name is not/],
    [{ ...good, name: 'a\u202eb' }, /^name is not/],
    [{ ...good, name: '\ud800' }, /^name is not/],
    [{ ...good, name: 'x'.repeat(101) }, /^name is not/],
    [{ ...good, name: 7 }, /^name /],
    [{ ...good, epoch: '' }, /^epoch is not 1 to 128/],
    [{ ...good, epoch: 'x'.repeat(129) }, /^epoch is not/],
    [{ ...good, epoch: 'a b' }, /^epoch is not/],
    [{ ...good, position: -1 }, /^position is not a whole number/],
    [{ ...good, position: 1.5 }, /^position is not/],
    [{ ...good, position: 2 ** 53 }, /^position is not/],
    [{ ...good, position: '1' }, /^position /],
    [{ ...good, uses: uses(101) }, /^uses holds more than 100 agents/],
    [{ ...good, uses: [use, { ...use, agent_id: AGENT.toUpperCase() }] }, /^uses names an agent twice/],
    [{ ...good, uses: [{ ...use, count: -1 }] }, /^uses\.0\.count is not/],
    [{ ...good, uses: [{ ...use, agent_id: 'x' }] }, /^uses\.0\.agent_id is not a UUID/],
    [{ ...good, more: 1 }, /^The body has a member/],
    [{ name: 'one', epoch: EPOCH }, /^position /],
    [[], /^The body /],
  ]
  for (const [body, expected] of wrong) {
    const answer = await postJson(service, PATH, body, { 'x-api-key': orders.key })
    const { error, error_description: description } = answer.json as Record<string, string>
    assert.deepEqual([answer.status, error], [400, 'invalid_request'], JSON.stringify(body))
    assert.match(description ?? '', expected)
  }
  await service.settle()
  assert.deepEqual(await kept(), [])
  const most = { ...good, uses: uses(100) }
  assert.equal((await postJson(service, PATH, most, { 'x-api-key': orders.key })).status, 204)
  await service.settle()
  assert.deepEqual(await kept(), [['one', 100]])
})

test('a report takes an API key that may introspect, in its header or by Basic, and JSON', async () => {
  const body = { name: 'one', epoch: EPOCH, position: 0 }
  assertError(
    await postJson(service, PATH, body),
    401,
    'invalid_client',
    'The revocation feed needs an API key: send a live one in X-API-Key.',
  )
  const forbidden: Answer = await postJson(service, PATH, body, { 'x-api-key': reader.key })
  assertError(forbidden, 403, 'insufficient_scope', 'This API key lacks the permission tokens:introspect.')
  const form = { 'x-api-key': orders.key, 'content-type': 'application/x-www-form-urlencoded' }
  const asForm = await send(service, { method: 'POST', path: PATH, headers: form, body: 'name=one' })
  assert.equal(asForm.status, 400, asForm.text)
  assert.equal((await postJson(service, PATH, body, basic(orders.id, orders.key))).status, 204)
})
