// Mode `introspect`: the service is asked at each request, and nothing that it says is kept.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assertVerified, makeRuntime, refusalOf, usePublisher, verifierOf, verifyAs } from './fixtures.ts'
import type { Fault } from '../../../testkit/feed/reference-publisher.ts'

const publisher = usePublisher()
const PATH = '/oauth/introspect/v2'
let usual: typeof publisher.introspect | undefined

beforeEach(() => {
  usual ??= publisher.introspect
  publisher.introspect = usual
  publisher.fault = undefined
})

test('each verification is a request of its own, and a revoked token is refused by the next', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'introspect' })
  const minted = publisher.mint()
  const before = publisher.count(PATH)
  for (let n = 0; n < 3; n += 1) assertVerified(await verifier.verify(minted.token), 'introspection')
  assert.equal(publisher.count(PATH), before + 3)
  publisher.end(minted)
  assert.equal(await verifyAs(verifier, minted.token), 'inactive')
  assert.equal(verifier.status().cachedTokens, 0)
})

test('what cannot be a token of the issuer for this audience causes no request', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'introspect' })
  const before = publisher.requests.length
  const { token } = publisher.mint({ aud: 'https://other.example' })
  for (const text of ['a.b.c', `${token} `, token, 'x'.repeat(20_000)]) {
    assert.equal((await verifier.verify(text)).ok, false)
  }
  assert.equal(publisher.requests.length, before)
})

const ANSWERS: Readonly<Record<string, (own: Record<string, unknown>) => unknown>> = {
  'active as a text': own => ({ ...own, active: 'true' }),
  'no active': own => ({ ...own, active: undefined }),
  'another sub': own => ({ ...own, sub: 'somebody' }),
  'another exp': own => ({ ...own, exp: Number(own['exp']) + 1 }),
  'another scope': own => ({ ...own, scope: 'db:admin' }),
  'another jti': own => ({ ...own, jti: 'x' }),
  'an array': own => [own],
  null: () => null,
}

for (const [what, answer] of Object.entries(ANSWERS)) {
  test(`an answer that is not about the token is none: ${what}`, async t => {
    const verifier = verifierOf(t, publisher, { mode: 'introspect' })
    publisher.introspect = token => answer(usual?.(token) as Record<string, unknown>)
    const result = await verifier.verify(publisher.mint().token)
    assert.equal(refusalOf(result), 'introspection_unavailable')
    assert.equal(result.ok || result.status, 503)
  })
}

test('an answer with the given members alone is enough', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'introspect' })
  const { token, claims } = publisher.mint()
  publisher.introspect = () => ({ active: true, sub: claims['sub'], scope: claims['scope'], exp: claims.exp })
  assertVerified(await verifier.verify(token))
})

const FAULTS: Readonly<Record<string, Fault>> = {
  'a status of 500': (_, response) => Boolean(response.writeHead(500).end('{"active":true}')),
  'a redirect': (_, response) => Boolean(response.writeHead(302, { location: '/.well-known/jwks.json' }).end()),
  'a connection that is reset': request => Boolean(request.socket.destroy()),
  'a body that is cut': (request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"active":true')
    setImmediate(() => request.socket.destroy())
    return true
  },
  'a body without end': (_, response) => {
    response.writeHead(200)
    const write = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.on('drain', write)
    write()
    return true
  },
  'bytes that are not UTF-8': (_, response) =>
    Boolean(response.writeHead(200).end(Buffer.from('{"active":true,"sub":"\u00ff"}', 'latin1'))),
  'no JSON': (_, response) => Boolean(response.writeHead(200).end('active')),
  'active twice': (_, response) => Boolean(response.writeHead(200).end('{"active":false,"active":true}')),
}

for (const [what, fault] of Object.entries(FAULTS)) {
  test(`503, and nothing is accepted: ${what}`, async t => {
    const problems: string[] = []
    const verifier = verifierOf(t, publisher, {
      mode: 'introspect',
      hooks: { failed: problem => problems.push(problem) },
    })
    publisher.fault = fault
    const { token } = publisher.mint()
    const result = await verifier.verify(token)
    assert.equal(refusalOf(result), 'introspection_unavailable')
    assert.ok(problems.every(problem => !problem.includes(token)))
  })
}

/** A runtime whose timers end when a test says so. */
const makeTimers = () => {
  const ends: (() => void)[] = []
  const after = (_: number, call: () => void) => {
    ends.push(call)
    return () => {}
  }
  const runOut = (): void => {
    for (const end of ends.splice(0)) end()
  }
  return { runtime: { monotonicMs: () => 0, wallMs: Date.now, random: Math.random, after }, runOut }
}

test('a service that does not answer is given up after a time', async t => {
  const { runtime, runOut } = makeTimers()
  const verifier = verifierOf(t, publisher, { mode: 'introspect', runtime })
  publisher.fault = () => {
    runOut()
    return new Promise(() => {})
  }
  assert.equal(await verifyAs(verifier, publisher.mint().token), 'introspection_unavailable')
})

/** Hangs until it was given up, and runs the time out. */
type Hang = () => Promise<never>

const bodyOf = (read: () => Promise<unknown>): Response =>
  ({ status: 200, headers: new Headers(), body: { getReader: () => ({ read, cancel: read }) } }) as never

const FETCHES: Readonly<Record<string, (hang: Hang) => unknown>> = {
  'ignores its signal': hang => hang(),
  'returns a body that is never read to its end': bodyOf,
  throws: () => assert.fail('at once'),
  'returns nothing': () => undefined,
  'returns something else than a Response': () => ({ ok: true }),
  'returns headers that are none': () => ({ status: 200, headers: {}, body: null }),
  'returns a body that is no stream': () => ({ status: 200, headers: new Headers(), body: '{"active":true}' }),
  'returns a body that somebody else reads': () => {
    const response = new Response('{"active":true}')
    response.body?.getReader()
    return response
  },
  'returns a body of nothing': () => bodyOf(async () => ({ done: false, value: null })),
  'returns a body without end that is not of bytes': () => bodyOf(async () => ({ done: false, value: {} })),
}

for (const [what, fetch] of Object.entries(FETCHES)) {
  test(`503 in time, and no rejection that nobody handles, with a fetch that ${what}`, async t => {
    const { runtime, runOut } = makeTimers()
    const rejections: ((fault: Error) => void)[] = []
    const hang: Hang = () => {
      runOut()
      return new Promise((_, reject) => rejections.push(reject))
    }
    const verifier = verifierOf(t, publisher, { mode: 'introspect', runtime, fetch: () => fetch(hang) as never })
    assert.equal(await verifyAs(verifier, publisher.mint().token), 'introspection_unavailable')
    // One that nobody handled would end the process.
    for (const reject of rejections) reject(new Error('late'))
    await nextTurn()
  })
}

test('an answer from before the machine was suspended says nothing, because timers stood still too', async t => {
  const runtime = makeRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'introspect', runtime })
  const minted = publisher.mint()
  publisher.fault = () => {
    // It is answered all the same, as of the time before.
    runtime.step(60_000)
    return false
  }
  assert.equal(await verifyAs(verifier, minted.token), 'introspection_unavailable')
  publisher.fault = undefined
  assertVerified(await verifier.verify(minted.token), 'introspection')
})

test('an answer of introspection is no older than maxStaleness', async t => {
  const runtime = makeRuntime()
  const verifier = verifierOf(t, publisher, { mode: 'introspect', runtime, maxStaleness: 4 })
  const { token } = publisher.mint()
  assertVerified(await verifier.verify(token), 'introspection')
  publisher.fault = () => {
    runtime.pass(4001)
    return false
  }
  assert.equal(await verifyAs(verifier, token), 'introspection_unavailable')
})

test('a wrong API key is 503, and said to who operates the verifier', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'introspect', apiKey: 'mma_other' })
  assert.equal(await verifyAs(verifier, publisher.mint().token), 'introspection_unavailable')
  assert.match(verifier.status().lastFailure?.problem ?? '', /The service responded 401/)
})
