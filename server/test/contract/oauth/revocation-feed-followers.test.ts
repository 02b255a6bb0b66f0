// Who follows the revocation feed, however they behave: limits, connections that are reset, readers that do not read.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { ask, FEED, type FeedStream, nextOf, openStream } from '../../../../testkit/feed/feed-client.ts'
import { FROM_START, someTail } from '../../../../testkit/feed/feed-in-memory.ts'
import { FAST, LATER, makeCounts, readUpTo, startWorld, WAITING } from '../../../../testkit/feed/feed-world.ts'
import { getOf, openConnection, readToEnd, TLS } from '../../../../testkit/callers/raw-connection.ts'
import { introspect, issue } from '../../../../testkit/callers/requests.ts'
import { TIMING } from '../../../src/ports/timing.ts'
import { makeConnectionCounts, makeConnectionLimit } from '../../../src/http/wire/connections/connection-limit.ts'

test('beyond the limit of a key or of all it is 503 with Retry-After, and who leaves makes room', WAITING, async t => {
  const counts = makeCounts()
  const server = { followerLimits: { all: 3, ofOne: 2, reserved: 0, few: 0 }, metrics: counts.metrics }
  const { service, key } = await startWorld(t, { server })
  const other = await service.createApiKey('tokens:introspect')
  const third = await service.createApiKey('tokens:introspect')
  const first = await openStream(service, key)
  const second = await openStream(service, key)
  const refuse = async (by: string, path: string, description: string): Promise<void> => {
    const answer = await ask(service, by, path)
    assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
    const json = { error: 'temporarily_unavailable', error_description: description }
    assert.deepEqual(answer.json, json)
  }
  const ofOne = 'This API key has as many followers as one may have: try again, or use another key.'
  await refuse(key, `/stream?${FROM_START}`, ofOne)
  await refuse(key, `/changes?${FROM_START}&wait=1`, ofOne)
  const last = await openStream(service, other.key)
  const ofAll = 'The feed has as many followers as this service takes: try again, or follow another replica.'
  await refuse(third.key, `/stream?${FROM_START}`, ofAll)
  assert.equal((await ask(service, key, `/changes?${FROM_START}`)).status, 200)
  first.close()
  await counts.until(() => counts.followers('stream') === 2)
  const again = await openStream(service, third.key)
  await nextOf(again, 'heartbeat')
  for (const one of [second, last, again]) one.close()
})

test('followers keep no more than half of the connections: introspection has the others', WAITING, async t => {
  const own = makeConnectionCounts()
  const connections = makeConnectionLimit({
    max: 8,
    perAddress: 100,
    own,
    all: [own],
    slotsOf: () => [0, 0],
    isShared: () => true,
    report: () => undefined,
    timing: TIMING,
  })
  const { service, key } = await startWorld(t, { server: { connections } })
  const token = await issue(service, await service.createAgent())
  const streams: FeedStream[] = []
  for (let tried = 0; tried < 10; tried += 1) {
    const stream = await openStream(service, key)
    if (stream.response.statusCode === 200) streams.push(stream)
    else stream.close()
  }
  assert.ok(streams.length > 0 && streams.length <= 4, `${streams.length} streams`)
  assert.equal((await introspect(service, key, token)).status, 200)
  for (const one of streams) one.close()
})

test('followers that are reset or go away leave nothing behind, and the feed is watched no more', WAITING, async t => {
  const counts = makeCounts()
  const server = { metrics: counts.metrics }
  const { service, key, end } = await startWorld(t, { server })
  const streams = await Promise.all(Array.from({ length: 30 }, () => openStream(service, key)))
  const waits = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = await openConnection(service)
      socket.write(
        getOf(service, `${FEED}/changes?${FROM_START}&wait=25`).replace('\r\n\r\n', `\r\nX-API-Key: ${key}\r\n\r\n`),
      )
      return socket
    }),
  )
  await counts.until(() => counts.followers('stream') === 30 && counts.followers('changes') === 10)
  for (const { response } of streams) response.socket.resetAndDestroy()
  for (const socket of waits) socket.resetAndDestroy()
  await counts.until(() => counts.followers('stream') === 0 && counts.followers('changes') === 0)
  const tail = end()
  const stream = await openStream(service, key)
  assert.deepEqual(await readUpTo(stream, 0, 1), [tail])
  stream.close()
})

test('a request behind a stream on one connection waits, and hurts nobody', WAITING, async t => {
  const { service, key, end } = await startWorld(t)
  const socket = await openConnection(service)
  const one = getOf(service, `${FEED}/stream?${FROM_START}`).replace('\r\n\r\n', `\r\nX-API-Key: ${key}\r\n\r\n`)
  socket.write(one + one + getOf(service, '/livez'))
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  assert.match(bytes.toString(), /^HTTP\/1\.1 200 /)
  const stream = await openStream(service, key)
  const tail = end()
  assert.deepEqual(await readUpTo(stream, 0, 1), [tail])
  stream.close()
  socket.resetAndDestroy()
})

test('a follower that does not read is cut off, and the others get everything meanwhile', WAITING, async t => {
  const counts = makeCounts()
  const timing = { ...FAST, followerUnreadMs: 100 }
  const { service, feed, key } = await startWorld(t, { server: { metrics: counts.metrics }, timing })
  const slow = await openStream(service, key)
  await nextOf(slow, 'heartbeat')
  slow.response.pause()
  slow.response.socket.pause()
  const good = await openStream(service, key)
  const tails = (): Uint8Array => new Uint8Array(Buffer.concat(Array.from({ length: 8192 }, someTail)))
  const many = tails()
  let position = 0
  while ((counts.counters.get('mintmark_feed_slow_followers_total') ?? 0) === 0) {
    feed.end(LATER, many)
    await readUpTo(good, position, position + 1)
    position += 1
    assert.ok(position < 1000, 'It is never cut off.')
  }
  await counts.until(() => counts.followers('stream') === 1)
  slow.response.socket.resume()
  slow.response.resume()
  assert.equal(await slow.ended, 'broken')
  good.close()
})

test('HTTP/1.0 gets a stream too, until it is closed', WAITING, async t => {
  const { service, key, keyId } = await startWorld(t)
  const socket = await openConnection(service)
  socket.write(`GET ${FEED}/stream?${FROM_START} HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`)
  await once(socket, 'data', {})
  const rest = readToEnd(socket)
  await service.revokeApiKey(keyId)
  await rest
})

test('by TLS a stream is written as it comes, too', WAITING, async t => {
  const { service, key, end } = await startWorld(t, { server: TLS })
  const socket = await openConnection(service)
  socket.write(getOf(service, `${FEED}/stream?${FROM_START}`).replace('\r\n\r\n', `\r\nX-API-Key: ${key}\r\n\r\n`))
  let text = ''
  const seen = async (what: string): Promise<void> => {
    while (!text.includes(what)) {
      const [bytes] = (await once(socket, 'data')) as [Buffer]
      text += bytes.toString()
    }
  }
  await seen('event: heartbeat')
  end()
  await seen('event: changes')
  socket.destroy()
})
