// The life of a session by the store's clock: its ends, and who else may end it.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { actsIn } from '../../../../testkit/callers/audited-acts.ts'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { type Answer, send } from '../../../../testkit/callers/requests.ts'
import { signIn } from '../../../../testkit/callers/sessions.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

let service: TestServer

beforeEach(async () => {
  service = await startServer()
})
afterEach(() => service.close())

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

type Listed = {
  readonly id: string
  readonly used_at: string
  readonly expires_at: string
  readonly created_at: string
}

const list = async (): Promise<readonly Listed[]> => {
  const answer = await send(service, { path: '/api/v1/sessions', headers: await admin(service) })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as { readonly data: readonly Listed[] }).data
}

const ask = (headers: Headers): Promise<Answer> => send(service, { path: '/api/v1/tokens', headers })
const statusOf = async (headers: Headers): Promise<number> => (await ask(headers)).status

/** A JWT that outlives the session. */
const lasting = () => ({ exp: Math.floor(service.clock.wall() / 1000) + 24 * 3600 })

test('without a request for an hour it ends, to the millisecond, and is in no list', async () => {
  const headers = await signIn(service, lasting())
  service.clock.advance(HOUR_MS - 1)
  assert.equal((await list()).length, 1)
  service.clock.advance(1)
  assert.equal(await statusOf(headers), 401)
  assert.deepEqual(await list(), [])
})

test('each request keeps it for another hour, and after twelve it ends however much it is used', async () => {
  const headers = await signIn(service, lasting())
  for (let n = 1; n <= 24; n += 1) {
    const [before] = await list()
    service.clock.advance(HOUR_MS / 2 - (n === 24 ? 1 : 0))
    assert.equal(await statusOf(headers), 200, String(n))
    // Written in the background.
    await until('the use is noted', async () => (await list())[0]?.used_at !== before?.used_at)
  }
  service.clock.advance(1)
  assert.equal(await statusOf(headers), 401)
})

test('an administrator lists sessions and ends one: its browser is out at the next request', async () => {
  const [mine, other] = [await signIn(service, { sub: 'mine' }), await signIn(service, { sub: 'other' })]
  const [first, second] = await list()
  assert.notEqual(first?.id, second?.id)
  const record = first as Listed
  assert.deepEqual(Object.keys(record), ['id', 'operator', 'created_at', 'used_at', 'expires_at'])
  for (const { id } of await list()) {
    const answer = await call(service, { method: 'DELETE', path: `/api/v1/sessions/${id}` }, await admin(service))
    assert.deepEqual([answer.status, answer.text], [204, ''])
    const again = await call(service, { method: 'DELETE', path: `/api/v1/sessions/${id}` }, await admin(service))
    assert.equal(again.status, 404)
  }
  assert.deepEqual([await statusOf(mine), await statusOf(other)], [401, 401])
  assert.equal((await actsIn(service, 'session.end')).length, 2)
})

test('lists go by pages', async () => {
  for (let n = 0; n < 5; n += 1) await signIn(service, { sub: `operator-${n}` })
  const ids = (await list()).map(({ id }) => id)
  const found: string[] = []
  let path: string | undefined = '/api/v1/sessions?limit=2'
  while (path !== undefined) {
    const answer: Answer = await send(service, { path, headers: await admin(service) })
    const { data, next_cursor } = answer.json as { data: Listed[]; next_cursor: string | null }
    found.push(...data.map(({ id }) => id))
    path = next_cursor === null ? undefined : `/api/v1/sessions?limit=2&cursor=${encodeURIComponent(next_cursor)}`
  }
  assert.deepEqual(found, ids)
})

test('of an operator the newest 20 sessions stay', async () => {
  const first = await signIn(service)
  service.clock.advance(1)
  const second = await signIn(service)
  service.clock.advance(1)
  const others = await signIn(service, { sub: 'somebody else' })
  for (let n = 0; n < 19; n += 1) await signIn(service)
  assert.equal((await list()).length, 21)
  assert.deepEqual([await statusOf(first), await statusOf(second), await statusOf(others)], [401, 200, 200])
})
