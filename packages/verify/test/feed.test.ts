// Mode `feed`: revoked tokens are refused without a call for each request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeProofKey } from '../../../testkit/keys/dpop.ts'
import { until } from '../../../testkit/processes/until.ts'
import { makeRuntime, verifierOf, verifyAs } from './fixtures.ts'
import { assertRevokedByFeed, FEED, follow, INTROSPECTION, never, open, reach } from './follow.ts'
import { changesBetween } from '../../../testkit/feed/reference-log.ts'
import { AGENT, digestOf, type Publisher, startPublisher } from '../../../testkit/feed/reference-publisher.ts'

test('a live token is accepted by the feed, and refused once the feed says that it ended, without a call', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher)
  const [ended, live] = [publisher.mint(), publisher.mint()]
  assert.equal(await verifyAs(verifier, ended.token), 'feed')
  publisher.end(ended)
  await reach(verifier, 1)
  await assertRevokedByFeed(publisher, verifier, ended)
  assert.equal(await verifyAs(verifier, live.token), 'feed')
  assert.equal(publisher.count(INTROSPECTION), 0)
})

test('a token that is younger than every cut-off is refused for its own end, and for that of an ancestor', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher)
  const [own, parent, live] = [publisher.mint(), publisher.mint(), publisher.mint()]
  const ancestor = {
    id: parent.claims.jti,
    exp: parent.claims.exp,
    seq: 10,
    agent_id: 'a',
    credential_id: 'c',
    kid: 'k',
  }
  const child = publisher.mint({ lineage: [ancestor] })
  publisher.cutOff({ seq: 10, until: live.claims.exp + 1 })
  publisher.end(own)
  publisher.end(parent)
  await reach(verifier, 3)
  for (const ended of [own, child]) await assertRevokedByFeed(publisher, verifier, ended)
  assert.equal(await verifyAs(verifier, live.token), 'feed')
  // Not covered when it was first seen, and by a later one of a larger number.
  publisher.cutOff({ seq: 11, until: live.claims.exp + 1, agent: digestOf(AGENT) })
  await reach(verifier, 4)
  await assertRevokedByFeed(publisher, verifier, live)
})

test('what had ended before the verifier started is refused, from a snapshot of several segments', async t => {
  const publisher = await open(t)
  const ended = Array.from({ length: 8 }, () => publisher.mint())
  for (const minted of ended) publisher.end(minted)
  const verifier = await follow(t, publisher)
  assert.equal(verifier.status().position, 8)
  assert.equal(publisher.requests.filter(path => path.startsWith(`${FEED}/segments/`)).length, 3)
  for (const minted of ended) await assertRevokedByFeed(publisher, verifier, minted)
  assert.equal(await verifyAs(verifier, publisher.mint().token), 'feed')
})

test('a token of another lifetime with the same tail is not the token that ended', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher)
  const minted = publisher.mint()
  const twin = publisher.mint({ jti: minted.claims.jti, exp: minted.claims.exp + 1 })
  publisher.end(minted)
  await reach(verifier, 1)
  assert.equal(await verifyAs(verifier, minted.token), 'revoked')
  assert.equal(await verifyAs(verifier, twin.token), 'feed')
})

test('a token whose key is cut off while its signature is verified is not accepted', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher, { whenStale: 'refuse' })
  // Who has the key can write any number.
  const { token, claims } = publisher.mint({ seq: 1_000_000 })
  const verify = crypto.subtle.verify.bind(crypto.subtle)
  const first = Promise.withResolvers<void>()
  let isFirst = true
  t.mock.method(crypto.subtle, 'verify', async (...given: Parameters<SubtleCrypto['verify']>) => {
    const isTokens = isFirst
    isFirst = false
    const isGood = await verify(...given)
    if (isTokens) await first.promise
    return isGood
  })
  const said = verifyAs(verifier, token)
  publisher.keys = [{ ...makeProofKey('ES256').jwk, alg: 'ES256', kid: 'key-2', use: 'sig' }]
  publisher.cutOff({ seq: 10, until: claims.exp + 1, key: digestOf(publisher.kid) })
  await reach(verifier, 1)
  first.resolve()
  // The second where the new keys cannot be had in time.
  assert.match(await said, /^(unknown_key|keys_unavailable)$/)
})

test('a heartbeat beyond what is held makes the verifier fetch what is missing', async t => {
  const publisher = await open(t)
  // Long enough that no head is asked for while this test runs.
  const verifier = await follow(t, publisher, { maxStaleness: 3600 })
  await until('a stream is open', async () => publisher.log.streams() === 1)
  const minted = publisher.mint()
  const tail = Buffer.from(minted.claims.jti.replaceAll('-', '').slice(16), 'hex')
  // Not written to streams, as if the event had been lost.
  publisher.log.facts.push({ exp: minted.claims.exp, tail })
  publisher.log.beat(publisher)
  await reach(verifier, 1)
  await assertRevokedByFeed(publisher, verifier, minted)
})

test('a new epoch makes it start over: what the old one said is forgotten, what the new one says holds', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher)
  const [before, after] = [publisher.mint(), publisher.mint()]
  publisher.end(before)
  await reach(verifier, 1)
  publisher.log.facts.length = 0
  publisher.log.epoch = 'epoch-2'
  publisher.end(after)
  await until('the new epoch', async () => verifier.status().epoch === 'epoch-2' && verifier.status().isFresh)
  await assertRevokedByFeed(publisher, verifier, after)
  assert.equal(await verifyAs(verifier, before.token), 'feed')
})

test('a position beyond the feed is 409, and makes it start over', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher)
  const [first, second] = [publisher.mint(), publisher.mint()]
  for (const minted of [first, second]) publisher.end(minted)
  await reach(verifier, 2)
  // The feed lost its last position, and says so at the next request.
  publisher.log.facts.length = 1
  publisher.log.close()
  await until('it started over', async () => verifier.status().position === 1 && verifier.status().isFresh)
  await assertRevokedByFeed(publisher, verifier, first)
})

test('a snapshot counts only once all of its segments are applied', async t => {
  const publisher = await open(t)
  const ended = Array.from({ length: 30 }, () => publisher.mint())
  for (const minted of ended) publisher.end(minted)
  publisher.fault = ({ url }) => Boolean(url?.endsWith('/27-30')) && never()
  const verifier = verifierOf(t, publisher, { whenStale: 'refuse' })
  void verifier.ready()
  await until('all but the last segment were sent', async () =>
    publisher.requests.some(path => path.endsWith('/27-30')),
  )
  assert.equal(verifier.status().position, undefined)
  for (const { token } of [ended[0], ended[29], publisher.mint()].filter(minted => minted !== undefined)) {
    assert.equal(await verifyAs(verifier, token), 'stale')
  }
})

test('a snapshot is followed from its own position, not from that of the head', async t => {
  const publisher = await open(t)
  const [early, between] = [publisher.mint(), publisher.mint()]
  publisher.end(early)
  // Ends after the snapshot was made and before it is read.
  publisher.fault = ({ url }) => {
    if (url?.startsWith(`${FEED}/segments/`) && publisher.log.facts.length === 1) publisher.end(between)
    return false
  }
  const verifier = await follow(t, publisher)
  await reach(verifier, 2)
  await assertRevokedByFeed(publisher, verifier, early)
  await assertRevokedByFeed(publisher, verifier, between)
})

test('where the stream is kept by a proxy, long polls bring what ends', async t => {
  const publisher = await open(t)
  // Accepted, and never a byte: what a proxy does that buffers.
  publisher.fault = ({ url }) => Boolean(url?.startsWith(`${FEED}/stream`)) && never()
  const verifier = await follow(t, publisher, { maxStaleness: 3600 })
  await until('it polls', async () => verifier.status().transport === 'long poll')
  const minted = publisher.mint()
  publisher.end(minted)
  await reach(verifier, 1)
  await assertRevokedByFeed(publisher, verifier, minted)
})

test('after the stream was cut it is opened again, and nothing between is lost', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher, { maxStaleness: 3600 })
  await until('a stream is open', async () => publisher.log.streams() === 1)
  publisher.log.close()
  const minted = publisher.mint()
  publisher.end(minted)
  await reach(verifier, 1)
  await assertRevokedByFeed(publisher, verifier, minted)
})

test('a token that was seen before is checked again by each request', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher)
  const minted = publisher.mint()
  for (let n = 0; n < 3; n += 1) assert.equal(await verifyAs(verifier, minted.token), 'feed')
  assert.equal(verifier.status().cachedTokens, 1)
  publisher.cutOff({ seq: 11, until: minted.claims.exp })
  await reach(verifier, 1)
  await assertRevokedByFeed(publisher, verifier, minted)
  assert.equal(await verifyAs(verifier, publisher.mint({ seq: 11 }).token), 'feed')
})

const BAD_DOCUMENTS: Readonly<Record<string, (publisher: Publisher) => string>> = {
  'another typ': publisher => publisher.sign(changesBetween(publisher, 0, 1), { typ: 'at+jwt' }),
  'no typ': publisher => publisher.sign(changesBetween(publisher, 0, 1), { typ: undefined }),
  'another iss': publisher => publisher.sign({ ...changesBetween(publisher, 0, 1), iss: 'https://other.example' }),
  'another key': publisher => publisher.sign(changesBetween(publisher, 0, 1), { kid: 'other' }),
  'another algorithm': publisher => publisher.sign(changesBetween(publisher, 0, 1), { alg: 'RS256' }),
  'a bit changed': publisher =>
    publisher.sign(changesBetween(publisher, 0, 1)).replace(/.(?=.{20}$)/, one => (one === 'A' ? 'B' : 'A')),
  'no ended': publisher => publisher.sign({ ...changesBetween(publisher, 0, 1), ended: undefined }),
  'tails of another length': publisher => publisher.sign({ ...changesBetween(publisher, 0, 1), ended: { 1: 'AAAA' } }),
  'seconds that are none': publisher =>
    publisher.sign({ ...changesBetween(publisher, 0, 1), ended: { '1e3': 'AAAAAAAAAAA' } }),
  'a cut-off without seq': publisher =>
    publisher.sign({ ...changesBetween(publisher, 0, 1), cut_offs: [{ until: 1 }] }),
  'from beyond to': publisher => publisher.sign({ ...changesBetween(publisher, 0, 1), from: 2, to: 1 }),
  'no JWS': () => 'nothing',
}

test('a document that is not as the service signs it is not applied, and makes the verifier stale', async t => {
  for (const [what, make] of Object.entries(BAD_DOCUMENTS)) {
    const publisher = await startPublisher()
    const runtime = makeRuntime()
    const verifier = verifierOf(t, publisher, { runtime, maxStaleness: 600, whenStale: 'refuse' })
    await verifier.ready()
    publisher.fault = ({ url = '' }, response) => {
      if (url.startsWith(`${FEED}/changes`)) return Boolean(response.writeHead(200).end(make(publisher)))
      if (!url.startsWith(`${FEED}/stream`)) return false
      response.writeHead(200).write(`event: changes\ndata: ${make(publisher)}\n\n`)
      return true
    }
    const minted = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
    publisher.log.close()
    publisher.log.facts.push({ exp: minted.claims.exp, tail: Buffer.alloc(8) })
    await until(`the failure is reported: ${what}`, async () => verifier.status().failures > 0)
    assert.equal(verifier.status().position, 0, what)
    runtime.pass(600_001)
    assert.equal(await verifyAs(verifier, minted.token), 'stale', what)
    verifier.close()
    await publisher.close()
  }
})

test('a document may come twice, or begin before what is held', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher, { maxStaleness: 3600 })
  await until('a stream is open', async () => publisher.log.streams() === 1)
  const ended = [publisher.mint(), publisher.mint()]
  publisher.fault = ({ url = '' }, response) => {
    if (!url.startsWith(`${FEED}/stream`)) return false
    const data = [1, 1, 2, 2].map(to => publisher.sign(changesBetween(publisher, 0, to)))
    response.writeHead(200).write(data.map(document => `event: changes\r\ndata: ${document}\r\n\r\n`).join(''))
    return true
  }
  publisher.log.close()
  for (const minted of ended) publisher.end(minted)
  await reach(verifier, 2)
  assert.equal(verifier.status().facts?.ends, 2)
  for (const minted of ended) await assertRevokedByFeed(publisher, verifier, minted)
})

test('close ends all that runs in the background', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher, { maxStaleness: 0.3 })
  await until('a stream is open', async () => publisher.log.streams() === 1)
  verifier.close()
  await until('the stream has ended', async () => publisher.log.streams() === 0)
  const { length } = publisher.requests
  await until('a second has passed', async () => true)
  const { failures } = verifier.status()
  assert.equal(publisher.requests.length, length)
  assert.equal(failures, 0)
})

test('a key that is cut off vouches for nothing until the key set is read again, and for nothing after', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const next = { ...publisher.keys[0], kid: 'next' }
  publisher.keys = [...publisher.keys, next]
  publisher.documentKid = 'next'
  const verifier = await follow(t, publisher, { runtime, maxStaleness: 3600 })
  // An attacker who has the key writes a `seq` that no cut-off reaches.
  const forged = publisher.mint({ seq: 9_000_000 })
  assert.equal(await verifyAs(verifier, forged.token), 'feed')
  publisher.keys = [next]
  publisher.fault = request => request.url === '/.well-known/jwks.json' && Boolean(request.socket.destroy())
  publisher.cutOff({ seq: 11, until: forged.claims.exp, key: digestOf(publisher.kid) })
  await reach(verifier, 1)
  await until('the reading has failed', async () => verifier.status().failures > 0)
  assert.equal(await verifyAs(verifier, forged.token), 'keys_unavailable')
  publisher.fault = undefined
  runtime.pass(5000)
  assert.equal(await verifyAs(verifier, forged.token), 'unknown_key')
  assert.equal(await verifyAs(verifier, publisher.mint({}, { kid: 'next' }).token), 'feed')
})
