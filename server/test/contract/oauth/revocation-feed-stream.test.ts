// Streams of the revocation feed, and requests for changes that wait, over real sockets: what they promise while the feed grows,
// hangs, fails and starts over, and while the service shuts down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  type Head,
  nextOf,
  openStream,
  payloadOf,
  readDocument,
  verifyDocument,
} from '../../../../testkit/feed/feed-client.ts'
import { bearer, postJson } from '../../../../testkit/callers/requests.ts'
import { FROM_START, someTail } from '../../../../testkit/feed/feed-in-memory.ts'
import { FAST, LATER, makeCounts, readUpTo, startWorld, WAITING } from '../../../../testkit/feed/feed-world.ts'
import { IN_TIME } from '../../../../testkit/services/test-server.ts'
import { PAGE_FACTS_MAX } from '../../../src/ports/revocation-feed.ts'

test('a heartbeat says where the feed stands by a look at the store since the one before it', WAITING, async t => {
  const { service, key, end, head } = await startWorld(t)
  const stream = await openStream(service, key)
  assert.deepEqual(JSON.parse(await nextOf(stream, 'heartbeat')), await head())
  end()
  assert.deepEqual((await readUpTo(stream, 0, 1)).length, 1)
  service.clock.advance(1234)
  const now = service.clock.wall()
  for (;;) {
    const beat = JSON.parse(await nextOf(stream, 'heartbeat')) as Head
    assert.equal(beat.position, 1)
    if (beat.now === now) break
  }
  stream.close()
})

test('the time of heartbeats never falls, also for one who comes between two of them', WAITING, async t => {
  const { service, key, end } = await startWorld(t, { timing: { feedHeartbeatMs: 200 } })
  const following = await openStream(service, key)
  // The first is of the request itself, the second of the watch.
  await nextOf(following, 'heartbeat')
  await nextOf(following, 'heartbeat')
  service.clock.advance(1234)
  const late = await openStream(service, key)
  const nowOf = async (): Promise<number> => (JSON.parse(await nextOf(late, 'heartbeat')) as Head).now
  const now = service.clock.wall()
  assert.equal(await nowOf(), now)
  end()
  await nextOf(late, 'changes')
  assert.equal(await nowOf(), now)
  for (const stream of [following, late]) stream.close()
})

test(
  'while the store hangs no heartbeat goes out, requests are 503, and the stream goes on afterwards',
  WAITING,
  async t => {
    const { service, feed, key, end } = await startWorld(t, { timing: { ...FAST, ...IN_TIME } })
    const stream = await openStream(service, key)
    // The first is of the request itself, the second of the watch.
    await nextOf(stream, 'heartbeat')
    await nextOf(stream, 'heartbeat')
    const letGo = feed.hang()
    let beats = 0
    stream.response.on('data', () => {
      beats += 1
    })
    const answers = await Promise.all([ask(service, key), ask(service, key, `/changes?${FROM_START}&wait=5`)])
    for (const answer of answers) {
      assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '1'])
    }
    // What was on its way when the store began to hang; 180 would have gone out since.
    assert.ok(beats < 10, `${beats} heartbeats`)
    end()
    letGo()
    assert.equal((await readUpTo(stream, 0, 1)).length, 1)
    await nextOf(stream, 'heartbeat')
    stream.close()
  },
)

test('a fault of a look is counted and reported, ends no stream, and is made up for', WAITING, async t => {
  const faults: unknown[] = []
  const counts = makeCounts()
  const reportFeedFault = (fault: unknown): void => void faults.push(fault)
  const server = { metrics: counts.metrics, reportFeedFault }
  const { service, feed, key, end } = await startWorld(t, { server })
  const stream = await openStream(service, key)
  await nextOf(stream, 'heartbeat')
  const fault = new Error('seeded')
  const mend = feed.fail(fault)
  await counts.until(() => (counts.counters.get('mintmark_feed_faults_total') ?? 0) >= 2)
  const tail = end()
  mend()
  assert.deepEqual(await readUpTo(stream, 0, 1), [tail])
  assert.ok(faults.length >= 2 && faults.every(one => one === fault))
  stream.close()
})

test(
  'a rewritten history is the event epoch_changed on each stream, which ends, and 409 for who waits',
  WAITING,
  async t => {
    const { service, feed, key, end, head } = await startWorld(t)
    end()
    const { epoch } = await head()
    const stream = await openStream(service, key, { query: `epoch=${epoch}&position=1` })
    const waiting = ask(service, key, `/changes?epoch=${epoch}&position=1&wait=25`)
    await nextOf(stream, 'heartbeat')
    await nextOf(stream, 'heartbeat')
    feed.rewrite()
    assert.equal(await nextOf(stream, 'epoch_changed'), '{}')
    assert.equal(await stream.ended, 'ended')
    const answer = await waiting
    assert.deepEqual([answer.status, (answer.json as { error: string }).error], [409, 'epoch_changed'])
  },
)

test('a revoked API key ends its streams and requests that wait, and those of no other key', WAITING, async t => {
  const { service, key, keyId, end } = await startWorld(t)
  const other = await service.createApiKey('tokens:introspect')
  const [stream, others] = [await openStream(service, key), await openStream(service, other.key)]
  const waiting = ask(service, key, `/changes?${FROM_START}&wait=25`)
  await nextOf(stream, 'heartbeat')
  await service.revokeApiKey(keyId)
  assert.equal(await stream.ended, 'ended')
  const answer = await waiting
  assert.deepEqual([answer.status, (answer.json as { error: string }).error], [401, 'invalid_client'])
  assert.equal((await ask(service, key, `/stream?${FROM_START}`)).status, 401)
  const tail = end()
  assert.deepEqual(await readUpTo(others, 0, 1), [tail])
  others.close()
})

test('a service that shuts down ends streams in good order, and answers who waits', WAITING, async t => {
  const counts = makeCounts()
  const server = { metrics: counts.metrics }
  const { service, key, head, close } = await startWorld(t, { server })
  const stream = await openStream(service, key)
  const waiting = ask(service, key, `/changes?${FROM_START}&wait=25`)
  // A request that arrives while the service ends is 503.
  await counts.until(() => counts.followers('changes') === 1)
  const { epoch } = await head()
  const [ended, answer] = await Promise.all([stream.ended, waiting, close()])
  assert.equal(ended, 'ended')
  assert.equal(answer.status, 200)
  const { from, to, epoch: same } = payloadOf(answer.text)
  assert.deepEqual([from, to, same], [0, 0, epoch])
})

test('a stream ends in good order after its time', WAITING, async t => {
  const { service, key } = await startWorld(t, { timing: { ...FAST, feedStreamMs: 1 } })
  const stream = await openStream(service, key)
  assert.equal(await stream.ended, 'ended')
})

test('where a proxy holds a stream back all of it comes later, in order and without a gap', WAITING, async t => {
  const { service, key, end } = await startWorld(t)
  const stream = await openStream(service, key)
  await nextOf(stream, 'heartbeat')
  // As the proxy does: bytes are taken from the service no more, or passed on late.
  stream.response.socket.pause()
  const direct = await openStream(service, key)
  const tails: string[] = []
  for (let n = 0; n < 10; n += 1) {
    tails.push(end())
    await readUpTo(direct, n, n + 1)
  }
  stream.response.socket.resume()
  assert.deepEqual(await readUpTo(stream, 0, 10), tails)
  stream.close()
  direct.close()
})

test('a follower that is far behind gets all of it, a document at a time', WAITING, async t => {
  const { service, feed, key } = await startWorld(t)
  const pages = Array.from(
    { length: 6 },
    () => new Uint8Array(Buffer.concat(Array.from({ length: PAGE_FACTS_MAX }, someTail))),
  )
  for (const tails of pages) feed.end(LATER, tails)
  const stream = await openStream(service, key)
  const read = await readUpTo(stream, 0, pages.length)
  assert.equal(read.length, pages.length * PAGE_FACTS_MAX)
  assert.deepEqual(read.join(''), Buffer.concat(pages).toString('hex'))
  const { from, to } = await readDocument(service, key, `/changes?${FROM_START}`)
  assert.ok(from === 0 && to > 0 && to < pages.length)
  stream.close()
})

test(
  'one who was behind as a signing key was revoked gets nothing that it signed, though others follow',
  WAITING,
  async t => {
    const { service, key, end } = await startWorld(t)
    const following = await openStream(service, key)
    // The first is of the request itself, the second of the watch.
    await nextOf(following, 'heartbeat')
    await nextOf(following, 'heartbeat')
    end()
    const signed = await nextOf(following, 'changes')
    const { kid } = JSON.parse(Buffer.from(signed.split('.')[0] ?? '', 'base64url').toString()) as {
      readonly kid: string
    }
    const operator = bearer(await service.provider.operatorJwt({ role: 'mintmark-admin' }))
    const answer = await postJson(service, `/api/v1/keys/${kid}/compromise`, {}, operator)
    assert.equal(answer.status, 200, answer.text)
    // Of the revocation, which this feed does not hold by itself.
    end()
    await nextOf(following, 'changes')
    const late = await openStream(service, key)
    assert.ok((await verifyDocument(service, await nextOf(late, 'changes'))).to > 0)
    for (const stream of [following, late]) stream.close()
  },
)
