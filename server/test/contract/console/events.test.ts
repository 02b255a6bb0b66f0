// GET /console/events: what an open page learns of, who may follow, and that a session which ended elsewhere is out at once.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { idOf } from '../../../../testkit/callers/explanations.ts'
import { assertPlainHeaders, issue, send } from '../../../../testkit/callers/requests.ts'
import { signIn } from '../../../../testkit/callers/sessions.ts'
import { until } from '../../../../testkit/processes/until.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const PATH = '/console/events'

let service: TestServer
const opened: IncomingMessage[] = []

beforeEach(async () => {
  service = await startServer({ timing: { consolePollMs: 20 } })
})
afterEach(async () => {
  for (const stream of opened.splice(0)) stream.destroy()
  await service.close()
})

const open = async (headers: Headers): Promise<IncomingMessage> => {
  const request = httpRequest(`${service.baseUrl}${PATH}`, { headers, agent: false })
  request.on('error', () => undefined).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  opened.push(response.on('error', () => undefined))
  return response
}

/** The subjects that were named, until all of these were; or what the stream ended with. */
const readUntil = async (stream: IncomingMessage, ...subjects: readonly string[]): Promise<readonly string[]> => {
  const named = new Set<string>()
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
    for (const [, event = '', data = ''] of String(bytes).matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
      if (event === 'changed') for (const subject of JSON.parse(data) as readonly string[]) named.add(subject)
      else return [...named, event]
    }
    if (subjects.every(subject => named.has(subject))) break
  }
  return [...named]
}

test('a viewer learns that tokens were issued and ended, and that acts were recorded', async () => {
  const agent = await service.createAgent()
  const stream = await open(await signIn(service, { role: 'viewer' }))
  assert.deepEqual([stream.statusCode, stream.headers['content-type']], [200, 'text/event-stream'])
  assert.equal(stream.headers['cache-control'], 'no-store')
  // Of the first look nothing has changed: an act is repeated until one came after it.
  let [token, named] = ['', false]
  const issuing = until('the stream has named tokens', async () => {
    token = await issue(service, agent)
    return named
  })
  assert.deepEqual(await readUntil(stream, 'tokens'), ['tokens'])
  named = true
  await issuing
  const path = `/api/v1/tokens/${idOf(token)}/revoke`
  await call(service, { method: 'POST', path, body: {} }, await admin(service))
  const changed = await readUntil(stream, 'history', 'audit')
  assert.ok(changed.includes('history') && changed.includes('audit'), changed.join())
})

test('a session that an administrator ends is out within a look, those of others go on', async () => {
  const [mine, other] = [await signIn(service, { sub: 'mine' }), await signIn(service, { sub: 'other' })]
  const [stream, others] = [await open(mine), await open(other)]
  const { json } = await send(service, { path: '/api/v1/sessions', headers: await admin(service) })
  const { data } = json as { readonly data: readonly { id: string; operator: { sub: string } }[] }
  const id = data.find(({ operator }) => operator.sub === 'mine')?.id ?? ''
  await call(service, { method: 'DELETE', path: `/api/v1/sessions/${id}` }, await admin(service))
  assert.equal((await readUntil(stream, 'never')).at(-1), 'signed_out')
  await service.createAgent()
  assert.ok((await readUntil(others, 'audit')).includes('audit'))
})

test('a session that ends by time is out, however long its stream was open', async () => {
  const exp = Math.floor(service.clock.wall() / 1000) + 24 * 3600
  const stream = await open(await signIn(service, { exp }))
  service.clock.advance(3_600_000)
  assert.deepEqual(await readUntil(stream, 'never'), ['signed_out'])
})

const statusAt = async (path: string, headers: Headers): Promise<number> =>
  (await send(service, { path, headers })).status

test('a role that the provider took away ends the stream with the renewal that brings it, within a look', async () => {
  const headers = await signIn(service, { role: 'viewer' })
  const stream = await open(headers)
  service.provider.tokens.renewed = { roles: [] }
  service.clock.advance(240_000)
  assert.equal(await statusAt('/api/v1/tokens', headers), 403)
  assert.deepEqual(await readUntil(stream, 'never'), [])
  assert.equal(await statusAt(PATH, headers), 403)
})

test('a stream ends with the JWT that its operator was authorized by, although nothing else is asked', async () => {
  const headers = await signIn(service)
  const stream = await open(headers)
  service.provider.tokens.renewed = { roles: [] }
  service.clock.advance(300_000)
  assert.deepEqual(await readUntil(stream, 'never'), [])
  assert.equal(await statusAt(PATH, headers), 403)
})

test('the renewal that opens a stream does not end it', async () => {
  const headers = await signIn(service)
  service.clock.advance(240_000)
  const stream = await open(headers)
  let named = false
  const acting = until('an act is named', async () => {
    await service.createAgent()
    return named
  })
  assert.deepEqual(await readUntil(stream, 'audit'), ['audit'])
  named = true
  await acting
})

test('only a session of an operator with a role may follow, and only from our own page', async () => {
  const headers = await signIn(service)
  const statusOf = async (sent: Headers): Promise<number> => (await send(service, { path: PATH, headers: sent })).status
  assert.equal(await statusOf({}), 401)
  assert.equal(await statusOf({ ...headers, 'sec-fetch-site': 'cross-site' }), 401)
  assert.equal(await statusOf({ cookie: headers['cookie'] ?? '' }), 401)
  assert.equal(await statusOf(await admin(service)), 401)
  assert.equal(await statusOf(await signIn(service, { role: 'nobody' })), 403)
  const head = await send(service, { method: 'HEAD', path: PATH, headers })
  assert.deepEqual([head.status, head.text], [200, ''])
  assertPlainHeaders(await send(service, { path: PATH, headers: {} }))
})

test('streams end as the server closes', async () => {
  const stream = await open(await signIn(service))
  await service.close()
  assert.deepEqual(await readUntil(stream, 'never'), [])
  service = await startServer()
})
