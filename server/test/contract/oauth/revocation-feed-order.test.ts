// What a follower of the revocation feed may rely on, whatever happens at once: no fact is missed, a position is confirmed only by
// a look at the store that began after the request, and the segments of a snapshot leave nothing out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  type ChangesPayload,
  nextOf,
  openStream,
  payloadOf,
  readDocument,
  readHead,
  type SnapshotPayload,
  tailOf,
  tailsIn,
  verifyDocument,
} from '../../../../testkit/feed/feed-client.ts'
import { FROM_START, someTail } from '../../../../testkit/feed/feed-in-memory.ts'
import { FAST, LATER, readTails, startWorld, WAITING } from '../../../../testkit/feed/feed-world.ts'
import { claimsOf, issue, revoke } from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const FOLLOWERS = 200
const TOKENS = 60

test('200 followers each get every end, in order and without a gap, while tokens end at once', WAITING, async t => {
  const service = await startServer({ timing: FAST })
  t.after(() => service.close())
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const tokens = await Promise.all(Array.from({ length: TOKENS }, () => issue(service, agent)))
  const begun = await readHead(service, key)
  const query = `epoch=${begun.epoch}&position=${begun.position}`

  const follow = async (): Promise<readonly string[]> => {
    const stream = await openStream(service, key, { query })
    const tails = await readTails(stream, begun.position, TOKENS)
    stream.close()
    return tails
  }
  const half = Array.from({ length: FOLLOWERS / 2 }, follow)
  const ending = Promise.all(tokens.map(token => revoke(service, token)))
  // The others come while tokens end.
  const rest = Array.from({ length: FOLLOWERS / 2 }, follow)
  for (const answer of await ending) assert.equal(answer.status, 200)
  const expected = tokens.map(token => tailOf(claimsOf(token)['jti'])).toSorted()
  for (const tails of await Promise.all([...half, ...rest])) {
    assert.deepEqual([...new Set(tails)].toSorted(), expected)
  }
})

test('what was revoked before a request was sent is at most at the position of its response', WAITING, async t => {
  const service = await startServer({ timing: FAST })
  t.after(() => service.close())
  const agent = await service.createAgent()
  const { key } = await service.createApiKey('tokens:introspect')
  const begun = await readHead(service, key)
  const stream = await openStream(service, key, { query: `epoch=${begun.epoch}&position=${begun.position}` })
  for (let n = 1; n <= 10; n += 1) {
    const token = await issue(service, agent)
    // Others ask meanwhile, whose looks at the store may be under way.
    const others = Array.from({ length: 5 }, () =>
      ask(service, key, `/changes?epoch=${begun.epoch}&position=${begun.position}`),
    )
    await revoke(service, token)
    const tail = tailOf(claimsOf(token)['jti'])
    const changes = await readDocument(service, key, `/changes?epoch=${begun.epoch}&position=${begun.position}`)
    assert.ok(tailsIn(changes).includes(tail))
    const { position } = await readHead(service, key)
    assert.equal(position, begun.position + n)
    await Promise.all(others)
  }
  stream.close()
})

test(
  'an empty document is made by a look that began after its request had arrived, never by one under way',
  WAITING,
  async t => {
    const held = Promise.withResolvers<void>()
    const looks: PromiseWithResolvers<void>[] = []
    const { service, key, end } = await startWorld(t, {
      // A look sees what there is when it begins, and takes its time.
      around: feed => ({
        ...feed,
        head: async () => {
          const seen = await feed.head()
          looks.shift()?.resolve()
          await held.promise
          return seen
        },
      }),
    })
    const look = Promise.withResolvers<void>()
    looks.push(look)
    const first = ask(service, key, `/changes?${FROM_START}`)
    await look.promise
    const tail = end()
    const again = Promise.withResolvers<void>()
    looks.push(again)
    const second = ask(service, key, `/changes?${FROM_START}`)
    await Promise.race([again.promise, second])
    held.resolve()
    const [before, after] = (await Promise.all([first, second])).map(({ text }) => payloadOf(text))
    assert.deepEqual([before?.to, tailsIn(before ?? { ended: {} })], [0, []])
    assert.deepEqual([after?.to, tailsIn(after ?? { ended: {} })], [1, [tail]])
  },
)

test(
  'a request that waits is answered at once by what ends meanwhile, one whose wait is over by a new look',
  WAITING,
  async t => {
    const { service, feed, key, end, head } = await startWorld(t)
    const { epoch } = await head()
    const waiting = readDocument(service, key, `/changes?epoch=${epoch}&position=0&wait=25`)
    const stream = await openStream(service, key)
    await nextOf(stream, 'heartbeat')
    await nextOf(stream, 'heartbeat')
    const tail = end()
    assert.deepEqual(tailsIn(await waiting), [tail])
    const pages = feed.reads.pages
    const { from, to } = await readDocument(service, key, `/changes?epoch=${epoch}&position=1&wait=1`)
    assert.deepEqual([from, to, feed.reads.pages], [1, 1, pages])
    stream.close()
  },
)

test('all who stand at one position share a document, which is read and signed once', WAITING, async t => {
  const { service, feed, key, end } = await startWorld(t)
  const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(service, key)))
  for (const stream of streams) {
    await nextOf(stream, 'heartbeat')
    await nextOf(stream, 'heartbeat')
  }
  const before = feed.reads.pages
  end()
  const documents = await Promise.all(streams.map(stream => nextOf(stream, 'changes')))
  assert.equal(new Set(documents).size, 1)
  assert.equal(feed.reads.pages, before + 1)
  for (const stream of streams) stream.close()
})

test('a snapshot is as of a look that began after its request had arrived', WAITING, async t => {
  const held = Promise.withResolvers<void>()
  const look = Promise.withResolvers<void>()
  let pages = 0
  const { service, key, end } = await startWorld(t, {
    // The first page takes its time, and shows what there was when it was asked for.
    around: feed => ({
      ...feed,
      read: async range => {
        const page = await feed.read(range)
        pages += 1
        look.resolve()
        if (pages === 1) await held.promise
        return page
      },
    }),
  })
  end()
  const first = readDocument<SnapshotPayload>(service, key, '/snapshot')
  await look.promise
  end()
  const second = ask(service, key, '/snapshot')
  // Answered once the second has been read: it is of the same connection pool, and came later.
  await ask(service, key)
  held.resolve()
  assert.equal((await first).position, 1)
  assert.equal((await verifyDocument<SnapshotPayload>(service, (await second).text)).position, 2)
})

const PAGE_FACTS = 8

test(
  'a snapshot of many pages is a chain without a hole, extended at its end, and read once for all who ask',
  WAITING,
  async t => {
    const { service, feed, key, end, head } = await startWorld(t, { pageFactsMax: PAGE_FACTS })
    const tails = Array.from({ length: 100 }, end)
    const readSnapshot = (): Promise<SnapshotPayload> => readDocument<SnapshotPayload>(service, key, '/snapshot')
    const assertWhole = async ({ epoch, position, segments }: SnapshotPayload, ended: readonly string[]) => {
      assert.equal(position, (await head()).position)
      assert.deepEqual([0, ...segments.map(([, to]) => to)], [...segments.map(([from]) => from), position])
      const documents: ChangesPayload[] = []
      for (const [from, to] of segments) {
        const segment = await readDocument(service, key, `/segments/${epoch}/${from}-${to}`)
        assert.deepEqual([segment.epoch, segment.from, segment.to], [epoch, from, to])
        documents.push(segment)
      }
      assert.deepEqual(documents.flatMap(tailsIn).toSorted(), [...ended].toSorted())
    }
    const snapshots = await Promise.all(Array.from({ length: 20 }, readSnapshot))
    assert.ok(feed.reads.pages < 20, `${feed.reads.pages} pages were read`)
    for (const snapshot of snapshots) assert.equal(snapshot.position, 100)
    const [first] = snapshots
    assert.ok(first !== undefined && first.segments.length >= 100 / PAGE_FACTS)
    await assertWhole(first, tails)
    const more = [...tails, ...Array.from({ length: 20 }, end)]
    const pages = feed.reads.pages
    const second = await readSnapshot()
    assert.ok(feed.reads.pages - pages <= 5, 'The chain was read anew.')
    await assertWhole(second, more)
    feed.rewrite()
    assert.deepEqual([(await readSnapshot()).segments, (await readSnapshot()).position], [[], 0])
    const after = Array.from({ length: 10 }, end)
    await assertWhole(await readSnapshot(), after)
  },
)

test('segments whose facts are all over are joined with others, and the chain has no hole', WAITING, async t => {
  const { service, feed, key } = await startWorld(t, { pageFactsMax: PAGE_FACTS })
  const soon = Math.floor(service.clock.wall() / 1000) + 10
  const readSnapshot = (): Promise<SnapshotPayload> => readDocument<SnapshotPayload>(service, key, '/snapshot')
  for (let n = 0; n < 80; n += 1) feed.end(soon, someTail())
  for (let n = 0; n < 8; n += 1) feed.end(LATER, someTail())
  assert.equal((await readSnapshot()).segments.length, 11)
  service.clock.advance(20_000)
  const { epoch, segments } = await readSnapshot()
  assert.deepEqual(segments, [[0, 88]])
  const { ended, from, to } = await readDocument(service, key, `/segments/${epoch}/0-88`)
  assert.deepEqual([from, to, Object.keys(ended)], [0, 88, [String(LATER)]])
})
