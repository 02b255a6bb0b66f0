// GET /oauth/revocation-feed and what lies below it, on a real store: who may read it, and what it says (docs/apis/feed-protocol.md).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  ask,
  type ChangesPayload,
  DOCUMENT_TYPE,
  FEED,
  type Head,
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
import {
  assertError,
  assertPlainHeaders,
  basic,
  bearer,
  claimsOf,
  get,
  issue,
  revoke,
  send,
} from '../../../../testkit/callers/requests.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const OTHER_EPOCH = 'The feed has another epoch: begin with the snapshot.'
const BEYOND = 'The position is beyond the feed: begin with the snapshot.'
const NO_SEGMENT = 'The feed has no such segment: take those that the snapshot names.'
const NO_KEY = 'The revocation feed needs an API key: send a live one in X-API-Key.'

let service: TestServer
let agent: AgentOfTest
let apiKey: { id: string; key: string }

before(async () => {
  service = await startServer()
  agent = await service.createAgent()
  apiKey = await service.createApiKey('tokens:introspect')
})

after(() => service.close())

const head = (): Promise<Head> => readHead(service, apiKey.key)

const read = <Payload = ChangesPayload>(path: string): Promise<Payload> =>
  readDocument<Payload>(service, apiKey.key, path)

const digestOf = (id: string): string => createHash('sha256').update(id).digest().subarray(0, 8).toString('base64url')

/** Revokes a token; gives its claims. */
const endOne = async (): Promise<Readonly<Record<string, unknown>>> => {
  const token = await issue(service, agent)
  assert.equal((await revoke(service, token)).status, 200)
  return claimsOf(token)
}

/** All facts, as a follower that begins gets them: the segments of a snapshot, then the changes after it. */
const readAll = async (): Promise<readonly ChangesPayload[]> => {
  const { epoch, position, segments } = await read<SnapshotPayload>('/snapshot')
  const documents: ChangesPayload[] = []
  for (const [from, to] of segments) documents.push(await read(`/segments/${epoch}/${from}-${to}`))
  return [...documents, await read(`/changes?epoch=${epoch}&position=${position}`)]
}

test('the metadata names the head, and the head says where the feed stands, by the time of the service', async () => {
  const metadata = (await get(service, '/.well-known/oauth-authorization-server')).json as Record<string, unknown>
  assert.equal(metadata['revocation_feed_endpoint'], `${service.baseUrl}${FEED}`)
  const answer = await ask(service, apiKey.key)
  assert.equal(answer.status, 200)
  assertPlainHeaders(answer)
  const { epoch, position } = answer.json as Head
  assert.match(epoch, /^[A-Za-z0-9._-]{1,128}$/)
  assert.deepEqual(answer.json, { epoch, position, now: service.clock.wall() })
  await endOne()
  assert.deepEqual(await head(), { epoch, position: position + 1, now: service.clock.wall() })
})

test('by HTTP Basic too, and a key that is limited to audiences reads the same feed', async () => {
  const limited = await service.createApiKey('tokens:introspect', ['https://elsewhere.example'])
  const first = await get(service, FEED, basic(apiKey.id, apiKey.key))
  const second = await ask(service, limited.key)
  assert.deepEqual(first.json, second.json)
})

test('who may not hears 401 or 403 at each path, with the challenge of what they sent', async () => {
  const reader = await service.createApiKey('tokens:read')
  const { epoch } = await head()
  const start = `epoch=${epoch}&position=0`
  for (const path of ['', '/snapshot', `/segments/${epoch}/0-1`, `/changes?${start}`, `/stream?${start}`]) {
    const nothing = await get(service, FEED + path)
    assertError(nothing, 401, 'invalid_client', NO_KEY)
    assert.match(nothing.challenges[0] ?? '', /^ApiKey /)
    assertError(await ask(service, 'wrong', path), 401, 'invalid_client', NO_KEY)
    const other = await get(service, FEED + path, bearer(await service.provider.operatorJwt()))
    assertError(other, 401, 'invalid_client', NO_KEY)
    assert.match(other.challenges[0] ?? '', /^Basic /)
    const lacks = 'This API key lacks the permission tokens:introspect.'
    assertError(await ask(service, reader.key, path), 403, 'insufficient_scope', lacks)
    const both = await get(service, FEED + path, { 'x-api-key': apiKey.key, ...basic(apiKey.id, apiKey.key) })
    assert.equal(both.status, 400)
  }
})

test('changes hold the tail of each token that ended after the position, under its exp, and nothing before it', async () => {
  const { epoch, position } = await head()
  const [first, second] = [await endOne(), await endOne()]
  const answer = await ask(service, apiKey.key, `/changes?epoch=${epoch}&position=${position}`)
  assert.deepEqual([answer.status, answer.headers['content-type']], [200, DOCUMENT_TYPE])
  assertPlainHeaders(answer)
  const { ended, ...rest } = await verifyDocument(service, answer.text)
  const to = position + 2
  const now = service.clock.wall()
  assert.deepEqual(rest, { iss: service.baseUrl, epoch, now, from: position, to, cut_offs: [] })
  assert.deepEqual(Object.keys(ended), [String(first['exp'])])
  assert.deepEqual(tailsIn({ ended }).toSorted(), [tailOf(first['jti']), tailOf(second['jti'])].toSorted())
  const later = await read(`/changes?epoch=${epoch}&position=${position + 1}`)
  assert.deepEqual([later.from, later.to, tailsIn(later)], [position + 1, to, [tailOf(second['jti'])]])
})

test('a disabled agent is one cut-off, whose seq is beyond that of its tokens, and small', async () => {
  const other = await service.createAgent()
  const { seq } = claimsOf(await issue(service, other))
  const { epoch, position } = await head()
  await service.disableAgent(other.agentId)
  const { cut_offs: cutOffs, ended } = await read(`/changes?epoch=${epoch}&position=${position}`)
  const [cutOff] = cutOffs
  assert.deepEqual(ended, {})
  assert.deepEqual(Object.keys(cutOff ?? {}).toSorted(), ['agent', 'seq', 'until'])
  assert.equal(cutOff?.['agent'], digestOf(other.agentId))
  assert.ok(Number(cutOff?.['seq']) > Number(seq))
  assert.ok(JSON.stringify(cutOff).length <= 200)
})

test('without anything new, and without a wait, changes are a document of no facts, from and to the position', async () => {
  const { epoch, position } = await head()
  const empty = { iss: service.baseUrl, epoch, now: service.clock.wall(), from: position, to: position }
  assert.deepEqual(await read(`/changes?epoch=${epoch}&position=${position}`), { ...empty, ended: {}, cut_offs: [] })
  assert.deepEqual(await read(`/changes?epoch=${epoch}&position=${position}&wait=0`), {
    ...empty,
    ended: {},
    cut_offs: [],
  })
})

test('changes that wait are sent as soon as something ends, and after the wait a document of no facts', async () => {
  const { epoch, position } = await head()
  const waiting = read(`/changes?epoch=${epoch}&position=${position}&wait=25`)
  const { jti } = await endOne()
  const changes = await waiting
  assert.deepEqual([changes.from, changes.to, tailsIn(changes)], [position, position + 1, [tailOf(jti)]])
  const none = await read(`/changes?epoch=${epoch}&position=${position + 1}&wait=1`)
  assert.deepEqual([none.from, none.to, none.ended, none.cut_offs], [position + 1, position + 1, {}, []])
})

test('the segments of a snapshot are a chain from 0 to its position, and hold all that ended', async () => {
  const { jti } = await endOne()
  const snapshot = await read<SnapshotPayload>('/snapshot')
  const { iss, epoch, now, position, segments } = snapshot
  assert.deepEqual({ iss, epoch, now, position }, { iss: service.baseUrl, ...(await head()) })
  assert.deepEqual(Object.keys(snapshot).length, 5)
  assert.deepEqual([0, ...segments.map(([, to]) => to)], [...segments.map(([from]) => from), position])
  assert.ok((await readAll()).flatMap(tailsIn).includes(tailOf(jti)))
  assert.deepEqual((await read<SnapshotPayload>(`/snapshot?epoch=${epoch}`)).position, position)
})

test('a segment may be kept by its caller for as long as its key is published, and never changes for any other caller', async () => {
  await endOne()
  const { epoch, position } = await head()
  const path = `/segments/${epoch}/${position - 1}-${position}`
  const [answer, again] = [await ask(service, apiKey.key, path), await ask(service, apiKey.key, path)]
  assert.equal(answer.headers['cache-control'], 'private, immutable, max-age=60')
  assert.equal(answer.text, again.text)
  await endOne()
  assert.equal((await ask(service, apiKey.key, path)).text, answer.text)
  const refused = await ask(service, apiKey.key, `/segments/${epoch}/0-${position + 9}`)
  assert.equal(refused.headers['cache-control'], 'no-store')
})

test('another epoch, or a position beyond the feed, is 409 epoch_changed at each path', async () => {
  const { epoch, position } = await head()
  for (const path of ['/snapshot?epoch=other', `/segments/other/0-${position}`]) {
    assertError(await ask(service, apiKey.key, path), 409, 'epoch_changed', OTHER_EPOCH)
  }
  for (const path of ['/changes', '/stream']) {
    assertError(await ask(service, apiKey.key, `${path}?epoch=other&position=0`), 409, 'epoch_changed', OTHER_EPOCH)
    const beyond = `${path}?epoch=${epoch}&position=${position + 1}`
    assertError(await ask(service, apiKey.key, beyond), 409, 'epoch_changed', BEYOND)
  }
  assertError(await ask(service, apiKey.key, `/segments/${epoch}/0-${position + 1}`), 409, 'epoch_changed', BEYOND)
})

test('a malformed value is 400 and named, a segment with a malformed range is 404', async () => {
  for (const path of ['/changes', '/stream']) {
    const noPosition = 'position is missing: send the position up to which you hold all facts.'
    assertError(await ask(service, apiKey.key, `${path}?epoch=x`), 400, 'invalid_request', noPosition)
    const noEpoch = 'epoch is missing: send the epoch that your position is of.'
    assertError(await ask(service, apiKey.key, `${path}?position=0`), 400, 'invalid_request', noEpoch)
    for (const position of ['-1', '1.5', '01', '1e3', 'x', '+1', '9007199254740993', '99999999999999999']) {
      const answer = await ask(service, apiKey.key, `${path}?epoch=x&position=${encodeURIComponent(position)}`)
      assertError(answer, 400, 'invalid_request', 'position is not a whole number from 0.')
    }
    const epoch = 'epoch is not 1 to 128 characters of A-Z a-z 0-9 - . _.'
    for (const wrong of ['%00', 'a%20b', 'x'.repeat(129)]) {
      assertError(await ask(service, apiKey.key, `${path}?position=0&epoch=${wrong}`), 400, 'invalid_request', epoch)
    }
  }
  for (const wait of ['26', '-1', '0.5', 'x']) {
    const answer = await ask(service, apiKey.key, `/changes?epoch=x&position=0&wait=${wait}`)
    assertError(answer, 400, 'invalid_request', 'wait is not a whole number of seconds from 0 to 25.')
  }
  const { epoch } = await head()
  for (const range of ['1-1', '2-1', '0-', '-1', '0-1-2', '00-1', 'x', '0-9007199254740993', '%00']) {
    assertError(await ask(service, apiKey.key, `/segments/${epoch}/${range}`), 404, 'not_found', NO_SEGMENT)
  }
  assertError(await ask(service, apiKey.key, `/segments/%00/0-1`), 404, 'not_found', NO_SEGMENT)
})

test('a document leaves out what is over, and the chain goes on over it', async () => {
  const { epoch, position } = await head()
  const { jti, exp } = await endOne()
  const isThere = async (): Promise<boolean> =>
    tailsIn(await read(`/changes?epoch=${epoch}&position=${position}`)).includes(tailOf(jti))
  service.clock.advance(1000 * Number(exp) - service.clock.wall())
  assert.ok(await isThere())
  service.clock.advance(1)
  await endOne()
  assert.equal(await isThere(), false)
  const { segments, position: last } = await read<SnapshotPayload>('/snapshot')
  assert.deepEqual([0, ...segments.map(([, to]) => to)], [...segments.map(([from]) => from), last])
})

test('a stream sends a heartbeat at once, what is missing, and each change as it comes', async () => {
  const { epoch, position } = await head()
  const { jti } = await endOne()
  const stream = await openStream(service, apiKey.key, { query: `epoch=${epoch}&position=${position}` })
  const { headers } = stream.response
  assert.deepEqual(
    [headers['content-type'], headers['x-accel-buffering'], headers['cache-control']],
    ['text/event-stream', 'no', 'no-store'],
  )
  const first = await stream.next()
  assert.deepEqual([first?.event, JSON.parse(first?.data ?? '')], ['heartbeat', await head()])
  const missing = await verifyDocument(service, await nextOf(stream, 'changes'))
  assert.deepEqual([missing.from, missing.to, tailsIn(missing)], [position, position + 1, [tailOf(jti)]])
  const next = await endOne()
  const change = payloadOf(await nextOf(stream, 'changes'))
  assert.deepEqual([change.from, change.to, tailsIn(change)], [position + 1, position + 2, [tailOf(next['jti'])]])
  assert.deepEqual(JSON.parse(await nextOf(stream, 'heartbeat')), await head())
  stream.close()
})

test('HEAD is answered as GET, without a body, the stream too', async () => {
  const start = `epoch=${(await head()).epoch}&position=0`
  for (const path of ['', '/snapshot', `/changes?${start}`, `/stream?${start}`]) {
    const headers = { 'x-api-key': apiKey.key }
    const answer = await send(service, { method: 'HEAD', path: FEED + path, headers })
    assert.deepEqual([answer.status, answer.text], [200, ''], path)
  }
})

test('a revoked signing key signs no document that is handed out any more', async () => {
  const { epoch, position } = await head()
  await endOne()
  const path = `/changes?epoch=${epoch}&position=${position}`
  const segment = `/segments/${epoch}/${position}-${position + 1}`
  const segmentOf = async (): Promise<string> => (await ask(service, apiKey.key, segment)).text
  const kept = await segmentOf()
  const signed = (await ask(service, apiKey.key, path)).text
  const kid = (jws: string): unknown =>
    (JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as { readonly kid: string }).kid
  const operator = bearer(await service.provider.operatorJwt({ role: 'mintmark-admin' }))
  const answer = await send(service, {
    method: 'POST',
    path: `/api/v1/keys/${String(kid(signed))}/compromise`,
    headers: { ...operator, 'content-type': 'application/json' },
    body: '{}',
  })
  assert.equal(answer.status, 200, answer.text)
  assert.notEqual(kid(await segmentOf()), kid(kept))
  const signedAnew = (await ask(service, apiKey.key, path)).text
  assert.notEqual(kid(signedAnew), kid(signed))
  const { cut_offs: cutOffs } = await verifyDocument(service, signedAnew)
  assert.deepEqual(
    cutOffs.map(one => one['key']),
    [digestOf(String(kid(signed)))],
  )
})
