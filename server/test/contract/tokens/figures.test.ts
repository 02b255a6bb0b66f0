// Every figure of what was issued, lives, ended and was refused says the same as the exports, line by line, at one moment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { askToken, claimsOf, get, issue } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const service = useService()
const reader = service.apiKey('tokens:read')

const read = async <Body>(path: string): Promise<Body> => {
  const answer = await get(service, path, { 'x-api-key': reader.key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Body
}

const countLines = async (name: string): Promise<number> => {
  const { status, text } = await get(service, `/api/v1/exports/${name}`, { 'x-api-key': reader.key })
  assert.equal(status, 200, text)
  return text.split('\n').filter(line => line !== '').length
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

type Counted = { readonly count: number; readonly exact: boolean }

test('status, usage, series and counts agree with the exports, with short and long lifetimes, ends and refusals', async () => {
  const headers = await admin(service)
  const [short, long, stopped] = [
    await service.createAgent({ lifetimeSeconds: 60 }),
    await service.createAgent({ lifetimeSeconds: 3600 }),
    await service.createAgent({ lifetimeSeconds: 3600 }),
  ]
  for (let n = 0; n < 6; n += 1) await issue(service, short)
  const tokens: string[] = []
  for (let n = 0; n < 9; n += 1) tokens.push(await issue(service, long))
  for (let n = 0; n < 4; n += 1) await issue(service, stopped)
  for (const token of tokens.slice(0, 3)) {
    const path = `/api/v1/tokens/${String(claimsOf(token)['jti'])}/revoke`
    assert.equal((await call(service, { method: 'POST', path, body: {} }, headers)).status, 200)
  }
  await service.disableAgent(stopped.agentId)
  for (let n = 0; n < 5; n += 1) assert.equal((await askToken(service, long, { scope: 'no:such' })).status, 400)
  await service.settle()
  service.clock.advance(120_000)
  for (let n = 0; n < 2; n += 1) await issue(service, short)
  await service.settle()

  const status = await read<Readonly<Record<string, unknown>>>('/api/v1/status')
  const { data: usage } = await read<{
    data: readonly (Readonly<Record<string, number>> & { live_tokens: Counted })[]
  }>('/api/v1/usage/agents')
  const { data: points } = await read<{
    data: readonly { issued: number; refused: number; ended: readonly ({ reason: string } & Counted)[] }[]
  }>('/api/v1/usage/series')
  const { data: refused } = await read<{ data: readonly { count: number }[] }>('/api/v1/usage/refusals')

  const live = await countLines('tokens')
  assert.equal(live, 6 + 2)
  assert.equal(status['live_tokens'], live)
  assert.deepEqual(await read('/api/v1/tokens/count'), { count: live, exact: true })
  assert.deepEqual([sum(usage.map(({ live_tokens: { count } }) => count))], [live])

  const issued = 6 + 9 + 4 + 2
  assert.equal((await countLines('history')) + live, issued)
  assert.equal(status['tokens_last_hour'], issued)
  assert.equal(status['tokens_last_day'], issued)
  assert.equal(status['tokens_last_minute'], 2)
  for (const window of ['hour', 'day']) assert.equal(sum(usage.map(one => one[`tokens_last_${window}`] ?? 0)), issued)
  assert.equal(sum(points.map(point => point.issued)), issued)

  for (const [reason, count] of [
    ['manual_revocation', 3],
    ['agent_disabled', 4],
  ] as const) {
    const ends = points.flatMap(({ ended }) => ended).filter(end => end.reason === reason)
    assert.equal(sum(ends.map(end => end.count)), count, reason)
    assert.equal(await countLines(`history?termination_reason=${reason}`), count, reason)
  }
  assert.equal(await countLines('history?termination_reason=expired'), 6)

  assert.equal(status['refusals'], 5)
  assert.equal(sum(points.map(point => point.refused)), 5)
  assert.equal(sum(refused.map(({ count }) => count)), 5)
  assert.equal(sum(usage.map(({ refusals = 0 }) => refusals)), 5)
})
