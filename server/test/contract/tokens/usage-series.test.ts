// GET /api/v1/usage/series: what was issued, refused, introspected and ended over time, of all agents and of one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idOf } from '../../../../testkit/callers/explanations.ts'
import { admin, call } from '../../../../testkit/callers/administration.ts'
import { askToken, get, introspect, issue } from '../../../../testkit/callers/requests.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

type Point = {
  readonly from: string
  readonly issued: number
  readonly refused: number
  readonly active: number
  readonly inactive: number
  readonly ended: readonly { readonly reason: string; readonly count: number; readonly exact: boolean }[]
}
type Series = { readonly at: string; readonly point_seconds: number; readonly data: readonly Point[] }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const service = useService()
const reader = service.apiKey('tokens:read')
const orders = service.apiKey('tokens:introspect')

const ask = (query: string) => get(service, `/api/v1/usage/series${query}`, { 'x-api-key': reader.key })

/** What was read within the last second is given again: each answer is of one agent, or of a test that asks once. */
const read = async (query: string): Promise<Series> => {
  await service.settle()
  const answer = await ask(query)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as Series
}

const time = (ms: number): string => new Date(ms).toISOString()

const NOTHING = { issued: 0, refused: 0, active: 0, inactive: 0, ended: [] }

/** The points in which something happened, without the time. */
const busy = ({ data }: Series) =>
  data.flatMap(({ issued, refused, active, inactive, ended }, n) =>
    issued + refused + active + inactive + ended.length === 0
      ? []
      : [[n, { issued, refused, active, inactive, ended }]],
  )

const isActive = async (token: string): Promise<unknown> =>
  ((await introspect(service, orders.key, token)).json as { active: unknown }).active

const revoke = async (token: string): Promise<void> => {
  const request = { method: 'POST', path: `/api/v1/tokens/${idOf(token)}/revoke`, body: {} } as const
  assert.equal((await call(service, request, await admin(service))).status, 200)
}

test('each minute of the last hour has what was issued, refused, introspected and ended in it', async () => {
  const [agent, other] = [await service.createAgent(), await service.createAgent()]
  // In the middle of a minute.
  service.clock.advance(MINUTE_MS - (service.clock.wall() % MINUTE_MS) + MINUTE_MS / 2)
  const token = await issue(service, agent)
  for (const own of [agent, other]) await issue(service, own)
  await askToken(service, agent, { scope: 'no:such' })
  assert.equal(await isActive(token), true)
  await service.settle()
  service.clock.advance(MINUTE_MS)
  await revoke(token)
  assert.equal(await isActive(token), false)
  const series = await read(`?agent_id=${agent.agentId}`)
  const newest = MINUTE_MS * Math.floor(service.clock.wall() / MINUTE_MS)
  assert.deepEqual([series.at, series.point_seconds], [time(service.clock.wall()), 60])
  assert.deepEqual(
    series.data.map(({ from }) => from),
    Array.from({ length: 61 }, (_, n) => time(newest - (60 - n) * MINUTE_MS)),
  )
  assert.deepEqual(busy(series), [
    [59, { ...NOTHING, issued: 2, refused: 1, active: 1 }],
    [60, { ...NOTHING, inactive: 1, ended: [{ reason: 'manual_revocation', count: 1, exact: true }] }],
  ])
  assert.deepEqual(busy(await read(`?agent_id=${other.agentId}&over=1h`)), [[59, { ...NOTHING, issued: 1 }]])
  assert.deepEqual(busy(await read('')).at(-2), [59, { ...NOTHING, issued: 3, refused: 1, active: 1 }])
})

test('a minute is shown until it is an hour old, and an hour until it is a day old', async () => {
  const agent = await service.createAgent()
  service.clock.advance(HOUR_MS - (service.clock.wall() % HOUR_MS))
  await issue(service, agent)
  await service.settle()
  const busyOver = async (over: string) => busy(await read(`?agent_id=${agent.agentId}&over=${over}`))
  const one = { ...NOTHING, issued: 1 }
  assert.deepEqual([await busyOver('1h'), await busyOver('24h')], [[[60, one]], [[24, one]]])
  service.clock.advance(61 * MINUTE_MS - 1)
  assert.deepEqual([await busyOver('1h'), await busyOver('24h')], [[[0, one]], [[23, one]]])
  service.clock.advance(1)
  assert.deepEqual([await busyOver('1h'), await busyOver('24h')], [[], [[23, one]]])
  service.clock.advance(24 * HOUR_MS - MINUTE_MS - 1)
  assert.deepEqual(await busyOver('24h'), [[0, one]])
  service.clock.advance(1)
  assert.deepEqual(await busyOver('24h'), [])
})

test('an agent that is unknown is 404, a window or an id that is none 400', async () => {
  assert.equal((await ask(`?agent_id=${orders.id}`)).status, 404)
  for (const query of ['?over=7d', '?over=', '?agent_id=x', '?over=1h&over=24h']) {
    assert.equal((await ask(query)).status, 400, query)
  }
})
