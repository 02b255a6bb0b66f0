// One import at a time: a second one of a caller hears when to come again, those of other callers have their turn, and
// an import that ends, in whatever way, makes room.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { JSON_TYPE } from '../../../../testkit/callers/administration.ts'
import { type Answer, assertProblem, introspect, send } from '../../../../testkit/callers/requests.ts'
import { makeImportCell } from '../../../src/http/imports/import-turns.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const EMPTY = JSON.stringify({ source: 'keycloak', document: [] })
const FULL = 'Another import is under way: send this one again once that has ended.'
/** Where a place is never taken, or never left, the tests would ask for ever. */
const LIMIT = { timeout: 120_000 }

/** Of the cell: the caller who waits first. */
const FIRST_PLACE = 2

/** What the server says of itself: whether the place is taken. */
const cell = makeImportCell()

const sockets = new Set<Socket>()

const untilPlaceIs = async (state: 'taken' | 'free'): Promise<void> => {
  while ((Atomics.load(cell, 0) === 0) !== (state === 'free')) await nextTurn()
}

const service = useService({ server: { importCell: cell } })
const key = service.apiKey('agents:write')

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await untilPlaceIs('free')
})

const importing = (body = EMPTY, apiKey = key.key): Promise<Answer> =>
  send(service, { method: 'POST', path: '/api/v1/imports', headers: { ...JSON_TYPE, 'x-api-key': apiKey }, body })

/** An import whose body stops before its end. */
const begin = (body = EMPTY, headers = `x-api-key: ${key.key}`): Socket => {
  const { hostname, port, host } = new URL(service.baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  sockets.add(socket)
  const head = ['POST /api/v1/imports HTTP/1.1', `host: ${host}`, 'content-type: application/json', 'connection: close']
  socket.write([...head, headers, `content-length: ${body.length}`, '', body.slice(0, -1)].join('\r\n'))
  return socket
}

test('while one is under way another is 503 with Retry-After, and introspection answers', LIMIT, async () => {
  const socket = begin()
  await untilPlaceIs('taken')
  const answer = await importing()
  assertProblem(answer, 503, 'temporarily_unavailable', FULL)
  assert.equal(answer.headers['retry-after'], '1')
  const { key: introspector } = await service.createApiKey('tokens:introspect')
  assert.equal((await introspect(service, introspector, 'x')).text, '{"active":false}')
  socket.write(EMPTY.slice(-1))
  assert.match(await text(socket), /^HTTP\/1\.1 200 .*"dry_run":false,"data":\[\]\}$/s)
  assert.equal((await importing()).status, 200)
})

/** Whether a caller waits for its turn. */
const untilOneWaits = async (isWaiting = true): Promise<void> => {
  while ((Atomics.load(cell, FIRST_PLACE) !== 0) !== isWaiting) await nextTurn()
}

test('beside a caller that imports without a pause another has the next turn', LIMIT, async () => {
  const { key: honest } = await service.createApiKey('agents:write')
  const ended: string[] = []
  const socket = begin()
  await untilPlaceIs('taken')
  const other = importing(EMPTY, honest).finally(() => ended.push('honest'))
  await untilOneWaits()
  socket.write(EMPTY.slice(-1))
  await untilPlaceIs('free')
  const greedy = importing().finally(() => ended.push('greedy'))
  const answers = await Promise.all([other, greedy])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(ended, ['honest', 'greedy'])
})

test('a caller whose connection ends while it waits gives up its turn', LIMIT, async () => {
  const { key: honest } = await service.createApiKey('agents:write')
  const socket = begin()
  await untilPlaceIs('taken')
  const waiting = begin(EMPTY, `x-api-key: ${honest}`)
  await untilOneWaits()
  waiting.resetAndDestroy()
  await untilOneWaits(false)
  socket.write(EMPTY.slice(-1))
  await untilPlaceIs('free')
  assert.equal((await importing()).status, 200)
})

test('a connection that is cut in the midst of its body makes room', LIMIT, async () => {
  const socket = begin()
  await untilPlaceIs('taken')
  socket.resetAndDestroy()
  await untilPlaceIs('free')
  assert.equal((await importing()).status, 200)
})

test(
  'imports one after another are all taken: good, bad, too large or of a type that is not taken',
  LIMIT,
  async () => {
    const bodies = [EMPTY, '{', JSON.stringify({ source: 'x' }), `[${'0,'.repeat(500_000)}0]`, 'x'.repeat(100_000)]
    for (const [body, status] of bodies.map((one, n) => [one, [200, 400, 400, 413, 400][n]] as const)) {
      for (let times = 0; times < 3; times += 1) assert.equal((await importing(body)).status, status)
    }
    const plain = {
      method: 'POST',
      path: '/api/v1/imports',
      headers: { 'content-type': 'text/plain', 'x-api-key': key.key },
    }
    assert.equal((await send(service, { ...plain, body: 'x' })).status, 400)
    assert.equal((await send(service, { ...plain, headers: { 'x-api-key': key.key } })).status, 400)
    assert.equal((await importing()).status, 200)
  },
)

test('who may not import takes no place', LIMIT, async () => {
  const socket = begin(EMPTY, 'x-api-key: nobody')
  assert.match(await text(socket), /^HTTP\/1\.1 401 /)
  begin(EMPTY, 'x-a: b')
  for (let times = 0; times < 10; times += 1) assert.equal((await importing()).status, 200)
})

test('a document that is read beside this thread leaves introspection answered meanwhile', LIMIT, async () => {
  const { key: introspector } = await service.createApiKey('tokens:introspect')
  const document = Array.from({ length: 1000 }, (_, n) => ({ clientId: `public-${n}`, other: 'x'.repeat(10_000) }))
  const done = importing(JSON.stringify({ source: 'keycloak', document }))
  const state = { isDone: false }
  void done.finally(() => {
    state.isDone = true
  })
  while (!state.isDone) assert.equal((await introspect(service, introspector, 'x')).text, '{"active":false}')
  const answer = await done
  assert.equal(answer.status, 200, answer.text)
  assert.equal((answer.json as { data: readonly unknown[] }).data.length, 1000)
})
