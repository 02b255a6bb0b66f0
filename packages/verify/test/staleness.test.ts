// Mode `feed`: nothing is accepted on facts that are staler than allowed, nor by the verifier's own clock.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import { makeRuntime, verifierOf, verifyAs } from './fixtures.ts'
import { assertRevokedByFeed, FEED, follow, INTROSPECTION, never, open, reach } from './follow.ts'
import { makeStaleness } from '../src/feed/staleness.ts'
import { WEB_RUNTIME } from '../src/wire/runtime.ts'
import { changesBetween, headOf } from '../../../testkit/feed/reference-log.ts'
import { ADDRESS, proofOf, thumbprint } from './proofs.ts'
import { makeProofKey } from '../../../testkit/keys/dpop.ts'
import type { Publisher } from '../../../testkit/feed/reference-publisher.ts'

/** The service answers no request any more, and its streams go on. */
const silence = (publisher: Publisher): void => {
  publisher.fault = never
}

test('beyond maxStaleness nothing is accepted by the feed alone: introspected, or refused with 503', async t => {
  const publisher = await open(t)
  for (const whenStale of ['introspect', 'refuse'] as const) {
    publisher.fault = undefined
    const runtime = makeRuntime()
    const verifier = await follow(t, publisher, { runtime, whenStale, maxStaleness: 600 })
    const { token } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
    silence(publisher)
    runtime.pass(600_000 - Number(verifier.status().stalenessMs) - 5000)
    assert.equal(await verifyAs(verifier, token), 'feed')
    runtime.pass(5001)
    publisher.fault = (request, response) => (request.url === INTROSPECTION ? false : Boolean(response.destroy()))
    const before = publisher.count(INTROSPECTION)
    assert.equal(await verifyAs(verifier, token), whenStale === 'introspect' ? 'introspection' : 'stale')
    assert.equal(publisher.count(INTROSPECTION), before + (whenStale === 'introspect' ? 1 : 0))
    assert.equal(verifier.status().isFresh, false)
    verifier.close()
  }
})

test('staleness counts from when a request was sent, however late its answer came', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  let release: (() => void) | undefined
  const held = new Promise<boolean>(resolve => {
    release = () => resolve(false)
  })
  // The second head is kept back, as by a proxy; the first was asked for the snapshot.
  publisher.fault = ({ url }) => (url === FEED ? held : false)
  const verifier = verifierOf(t, publisher, { runtime, maxStaleness: 600, whenStale: 'refuse' })
  const ready = verifier.ready()
  await until('two heads were asked for', async () => publisher.count(FEED) === 2)
  runtime.pass(400_000)
  publisher.fault = ({ url }) => (url === FEED ? never() : false)
  release?.()
  await ready
  const { stalenessMs = 0 } = verifier.status()
  assert.ok(stalenessMs >= 400_000, `${stalenessMs} ms`)
  const { token } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
  assert.equal(await verifyAs(verifier, token), 'feed')
  runtime.pass(200_001)
  assert.equal(await verifyAs(verifier, token), 'stale')
})

test('an answer that a cache repeats confirms nothing after the time at which it was made', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  publisher.now = runtime.wallMs
  const verifier = await follow(t, publisher, { runtime, maxStaleness: 3, whenStale: 'refuse' })
  const { token } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
  const [head, changes] = [JSON.stringify(headOf(publisher)), publisher.sign(changesBetween(publisher, 0, 0))]
  publisher.fault = ({ url = '' }, response) => {
    if (url.startsWith(`${FEED}/changes`)) return Boolean(response.writeHead(200).end(changes))
    return url === FEED ? Boolean(response.writeHead(200).end(head)) : url.startsWith(FEED)
  }
  runtime.pass(3001)
  const heads = publisher.count(FEED)
  await until('heads came', async () => publisher.count(FEED) > heads + 3)
  assert.equal(await verifyAs(verifier, token), 'stale')
  publisher.fault = undefined
  await until('it is fresh again', async () => verifier.status().isFresh)
})

test('a head behind what was held when it was asked for confirms nothing: its history may be another', async t => {
  const publisher = await open(t)
  const verifier = await follow(t, publisher, { maxStaleness: 0.6 })
  await until('a stream is open', async () => publisher.log.streams() === 1)
  const minted = publisher.mint()
  for (let n = 0; n < 3; n += 1) publisher.end(publisher.mint())
  await reach(verifier, 3)
  // As a copy of the store that was put back by hand, on which tokens end under the same numbers again.
  publisher.log.facts.length = 1
  await reach(verifier, 1)
  publisher.end(minted)
  await reach(verifier, 2)
  await assertRevokedByFeed(publisher, verifier, minted)
})

test('a clock of the service that is set back during a restart makes a verifier stale for a while, not for ever', () => {
  let ms = 0
  const staleness = makeStaleness({ ...WEB_RUNTIME, monotonicMs: () => ms, wallMs: () => ms })
  const hear = (now: number): void => {
    const head = { epoch: 'epoch-1', position: 0, now }
    const sentAt = { monotonicMs: ms, wallMs: ms }
    staleness.note(head, staleness.dateOf(head, sentAt), head)
    staleness.learn(head)
  }
  hear(1_000_000)
  assert.equal(staleness.ms(), 0)
  ms = 20_000
  hear(1_000_000)
  assert.equal(staleness.ms(), 20_000)
  ms = 21_000
  hear(1_001_000)
  assert.equal(staleness.ms(), 20_000)
  ms = 200_000
  hear(1_180_000)
  assert.equal(staleness.ms(), 0)
})

test('a clock of the service that is slewed by a tenth confirms all the same, however long it takes', () => {
  let ms = 0
  const staleness = makeStaleness({ ...WEB_RUNTIME, monotonicMs: () => ms, wallMs: () => ms })
  for (const rate of [0.91, 1.09]) {
    for (let n = 0, now = 1_000_000; n < 1000; n += 1, now += 1600 * rate) {
      ms += 1600
      const head = { epoch: `epoch-${rate}`, position: 0, now }
      staleness.note(head, staleness.dateOf(head, { monotonicMs: ms, wallMs: ms }), head)
      staleness.learn(head)
      assert.ok(staleness.ms() < 1e-6, `${staleness.ms()} ms after ${n} heads at ${rate}`)
    }
  }
})

test('a heartbeat confirms nothing: it may have been kept on its way', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  publisher.now = runtime.wallMs
  const verifier = await follow(t, publisher, { runtime, maxStaleness: 600, whenStale: 'refuse' })
  await until('a stream is open', async () => publisher.log.streams() === 1)
  const { token } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 3600 })
  silence(publisher)
  runtime.pass(600_001)
  // Of the epoch and position that are held, and many of them.
  for (let n = 0; n < 50; n += 1) publisher.log.beat(publisher)
  publisher.end(publisher.mint())
  await reach(verifier, 1)
  publisher.log.beat(publisher)
  assert.equal(await verifyAs(verifier, token), 'stale')
})

test('a head beyond what is held confirms nothing until that is held', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const verifier = await follow(t, publisher, { runtime, maxStaleness: 3, whenStale: 'refuse' })
  await until('a stream is open', async () => publisher.log.streams() === 1)
  const minted = publisher.mint()
  const tail = Buffer.from(minted.claims.jti.replaceAll('-', '').slice(16), 'hex')
  publisher.fault = ({ url }) => (url?.startsWith(`${FEED}/changes`) ? never() : false)
  publisher.log.facts.push({ exp: minted.claims.exp, tail })
  runtime.pass(3001)
  publisher.now = runtime.wallMs
  const heads = publisher.count(FEED)
  await until('heads came', async () => publisher.count(FEED) > heads + 2)
  assert.equal(await verifyAs(verifier, minted.token), 'stale')
  publisher.fault = undefined
  publisher.end(publisher.mint())
  await reach(verifier, 2)
  await assertRevokedByFeed(publisher, verifier, minted)
})

test('facts are forgotten by the time of the service, and never by the clock of the verifier', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const verifier = await follow(t, publisher, { runtime, maxStaleness: 3600, whenStale: 'refuse' })
  const minted = publisher.mint()
  publisher.end(minted)
  await reach(verifier, 1)
  // A clock that is ten minutes ahead, and then set right.
  runtime.step(600_000)
  publisher.end(publisher.mint())
  await reach(verifier, 2)
  await verifyAs(verifier, minted.token)
  runtime.step(-600_000)
  await assertRevokedByFeed(publisher, verifier, minted)
  assert.equal(verifier.status().facts?.ends, 2)
  const now = publisher.now()
  publisher.now = () => now + 600_000
  publisher.end(publisher.mint())
  await reach(verifier, 3)
  assert.equal(verifier.status().facts?.ends, 1)
})

test('a clock of the verifier that is behind does not bring a token back that the service says is over', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  runtime.step(-3_600_000)
  const verifier = await follow(t, publisher, { runtime })
  const { token, claims } = publisher.mint({ exp: Math.floor(Date.now() / 1000) + 60 })
  assert.equal(await verifyAs(verifier, token), 'feed')
  publisher.now = () => claims.exp * 1000
  publisher.end(publisher.mint())
  await reach(verifier, 1)
  assert.equal(await verifyAs(verifier, token), 'expired')
})

test('a clock of the verifier that is set ahead makes no token expire: the service is asked, or nothing is accepted', async t => {
  const publisher = await open(t)
  const key = makeProofKey()
  for (const whenStale of ['introspect', 'refuse'] as const) {
    for (const maxStaleness of [3, 3600]) {
      const runtime = makeRuntime()
      const verifier = await follow(t, publisher, { runtime, whenStale, maxStaleness })
      const { token } = publisher.mint()
      const bound = publisher.mint({ cnf: { jkt: await thumbprint(key) } })
      const prove = () => ({ dpop: { method: 'GET', url: ADDRESS, proof: proofOf(key, bound.token) } })
      assert.equal(await verifyAs(verifier, token), 'feed')
      assert.equal(await verifyAs(verifier, bound.token, prove()), 'feed')
      runtime.step(600_000)
      assert.equal(await verifyAs(verifier, token), whenStale === 'introspect' ? 'introspection' : 'stale')
      assert.equal(await verifyAs(verifier, bound.token, prove()), 'stale')
      if (maxStaleness > 3) continue
      await until('an answer came', async () => verifier.status().isFresh)
      assert.equal(await verifyAs(verifier, token), 'feed')
      assert.equal(await verifyAs(verifier, bound.token, prove()), 'feed')
      const over = publisher.mint({ exp: Math.floor(Date.now() / 1000) - 1, iat: Math.floor(Date.now() / 1000) - 9 })
      assert.equal(await verifyAs(verifier, over.token), 'expired')
    }
  }
})

test('a token that may have expired while an answer was on its way is introspected, and not refused as expired', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const { promise: held, resolve: release } = Promise.withResolvers<boolean>()
  // The head is kept back on its way to the service: its time is that of its end.
  publisher.fault = ({ url }) => (url === FEED ? held : false)
  const verifier = verifierOf(t, publisher, { runtime, maxStaleness: 600 })
  const ready = verifier.ready()
  await until('two heads were asked for', async () => publisher.count(FEED) === 2)
  runtime.pass(30_000)
  const atService = Date.now()
  publisher.now = () => atService
  publisher.fault = undefined
  release(false)
  await ready
  const { token } = publisher.mint({ exp: Math.floor(atService / 1000) + 20 })
  assert.equal(await verifyAs(verifier, token), 'introspection')
})

test('until the first snapshot is applied nothing is accepted by the feed', async t => {
  const publisher = await open(t)
  publisher.fault = ({ url }) => Boolean(url?.startsWith(FEED)) && never()
  const introspecting = verifierOf(t, publisher)
  assert.equal(await verifyAs(introspecting, publisher.mint().token), 'introspection')
  const refusing = verifierOf(t, publisher, { whenStale: 'refuse' })
  assert.equal(await verifyAs(refusing, publisher.mint().token), 'stale')
})
