// GET /api/v1/tokens/count and /history/count: bounded counts with the filters of the lists, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertPlainHeaders,
  assertProblem,
  claimsOf,
  get,
  issue,
  revoke,
} from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const agent = service.agent()
const other = service.agent()
const reader = service.apiKey('tokens:read')
const elsewhere = service.apiKey('tokens:read', ['https://elsewhere.example'])

const count = async (path: string, key = reader.key): Promise<unknown> => {
  const answer = await get(service, `/api/v1/tokens${path}`, { 'x-api-key': key })
  assert.equal(answer.status, 200, answer.text)
  assertPlainHeaders(answer)
  return answer.json
}

test('live and ended tokens are counted by the filters of their lists, and only those that the caller may see', async () => {
  for (let made = 0; made < 2; made += 1) await issue(service, agent)
  const ended = await issue(service, agent)
  await issue(service, other)
  await revoke(service, ended)
  const of = `agent_id=${agent.agentId}`
  assert.deepEqual(await count(`/count?${of}`), { count: 2, exact: true })
  assert.deepEqual(await count(`/count?${of}&scope=db:write`), { count: 0, exact: true })
  assert.deepEqual(await count(`/history/count?${of}&termination_reason=manual_revocation`), { count: 1, exact: true })
  assert.deepEqual(await count(`/count?root_id=${String(claimsOf(ended)['jti'])}`), { count: 0, exact: true })
  for (const path of ['/count', '/history/count'])
    assert.deepEqual(await count(`${path}?${of}`, elsewhere.key), { count: 0, exact: true })
})

test('a reason that is not known counts nothing, and is named', async () => {
  assert.deepEqual(await count('/history/count?termination_reason=nope'), { count: 0, exact: true, unknown: ['nope'] })
})

test('a count takes no page, and refuses a wrong filter as its list does', async () => {
  const wrong = await get(service, '/api/v1/tokens/count?agent_id=x', { 'x-api-key': reader.key })
  assertProblem(wrong, 400, 'invalid_request', 'agent_id is not a UUID.')
})
