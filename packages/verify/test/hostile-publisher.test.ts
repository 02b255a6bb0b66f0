// A service, or what stands before it, that hangs, lies, resets, floods and asks to wait: a revoked token is never accepted by the feed.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import { retryAfterSecondsOf } from '../src/wire/retry-after.ts'
import { type Runtime, WEB_RUNTIME } from '../src/wire/runtime.ts'
import { verifierOf, verifyAs } from './fixtures.ts'
import { FEED, open } from './follow.ts'
import { changesBetween, headOf } from '../../../testkit/feed/reference-log.ts'
import type { Fault, Publisher } from '../../../testkit/feed/reference-publisher.ts'

/** Waits twentieths. */
const HASTY: Runtime = { ...WEB_RUNTIME, after: (ms, call) => WEB_RUNTIME.after(ms / 20, call) }

const respond =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  (_, response) =>
    Boolean(response.writeHead(status, headers).end(body))

const flood = (response: ServerResponse): boolean => {
  const write = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.writeHead(200).on('drain', write)
  write()
  return true
}

const faultsOf = (publisher: Publisher): readonly Fault[] => [
  () => false,
  () => false,
  request => Boolean(request.socket.destroy()),
  (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"epoch":')
    setImmediate(() => response.destroy())
    return true
  },
  respond(200, ''),
  respond(200, 'null'),
  respond(200, '{"epoch":"epoch-1","position":-1,"now":0}'),
  respond(200, '{"epoch":"epoch-1","position":0,"position":9,"now":1}'),
  respond(200, '{"epoch":"","position":1e400,"now":"x"}'),
  respond(200, '['.repeat(100_000)),
  respond(200, randomBytes(5000)),
  respond(200, Buffer.from([0, 0xff, 0xfe])),
  respond(200, 'event: changes\ndata: x\n\nevent: heartbeat\ndata: {}\n\n'),
  respond(200, 'event: epoch_changed\ndata: {}\n\n'),
  (_, response) => flood(response),
  respond(302, '', { location: '/oauth/revocation-feed' }),
  respond(409, '{"error":"epoch_changed"}'),
  respond(429, '', { 'retry-after': '0' }),
  respond(503, '', { 'retry-after': 'soon' }),
  respond(500, ''),
  // Good documents, for another request.
  (_, response) => Boolean(response.writeHead(200).end(publisher.sign(changesBetween(publisher, 0, 0)))),
  (_, response) => Boolean(response.writeHead(200).end(publisher.sign({ ...headOf(publisher), segments: [[0, 1]] }))),
  (_, response) => Boolean(response.writeHead(200).end(publisher.mint().token)),
]

test('whatever is answered, a revoked token is not accepted by the feed, and nothing is thrown into nowhere', async t => {
  const publisher = await open(t)
  const revoked = publisher.mint()
  publisher.end(revoked)
  const verifier = verifierOf(t, publisher, { maxStaleness: 0.2, runtime: HASTY })
  const faults = faultsOf(publisher)
  let served = 0
  publisher.fault = (request, response) => {
    if (request.url === '/.well-known/jwks.json') return false
    served += 1
    return faults[(served * 7) % faults.length]?.(request, response) ?? false
  }
  const verdicts = new Set<string>()
  await until('many answers were given', async () => {
    verdicts.add(await verifyAs(verifier, revoked.token))
    return served > 2 * faults.length
  })
  const accepted = [...verdicts].filter(verdict => ['feed', 'introspection', 'signature'].includes(verdict))
  assert.deepEqual(accepted, [])
  publisher.fault = undefined
  await until('it follows again', async () => (await verifyAs(verifier, revoked.token)) === 'revoked')
})

test('two hundred callers at once with one token that is not known yet hear the same', async t => {
  const publisher = await open(t)
  const verifier = verifierOf(t, publisher)
  const minted = publisher.mint()
  publisher.end(minted)
  await verifier.ready()
  const [bad, good] = await Promise.all(
    [minted, publisher.mint()].map(({ token }) =>
      Promise.all(Array.from({ length: 200 }, () => verifyAs(verifier, token))),
    ),
  )
  assert.deepEqual([new Set(bad), new Set(good)], [new Set(['revoked']), new Set(['feed'])])
})

test('a stream that a fetch never begins, whatever its signal says, is given up for long polls', async t => {
  const publisher = await open(t)
  const verifier = verifierOf(t, publisher, {
    runtime: HASTY,
    fetch: (url, init) => (url.includes('/stream?') ? new Promise(() => {}) : fetch(url, init)),
  })
  void verifier.ready()
  await until('it polls', async () => verifier.status().transport === 'long poll')
})

test('a fetch that throws is a service that is down', async t => {
  const publisher = await open(t)
  const failing = verifierOf(t, publisher, {
    fetch: () => {
      throw new TypeError('Network is down.')
    },
  })
  assert.equal(await verifyAs(failing, publisher.mint().token), 'keys_unavailable')
  assert.match(failing.status().lastFailure?.problem ?? '', /TypeError: Network is down\.|The request failed/)
})

const NOW = Date.UTC(2026, 10, 21, 9, 30)

test('Retry-After is read in seconds and in the three forms of a date, from 1 s to the most that the caller allows', () => {
  for (const [header, seconds] of [
    ['0', 1],
    ['7', 7],
    [' 7 ', 7],
    ['60', 60],
    ['61', 60],
    ['9'.repeat(400), 60],
    ['Sat, 21 Nov 2026 09:30:07 GMT', 7],
    ['Saturday, 21-Nov-26 09:30:07 GMT', 7],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 1],
    ['Sat Nov 21 09:30:07 2026', 7],
    ['Wed Nov  4 09:30:07 2026', 1],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 1],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 60],
    ['', undefined],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['7, 8', undefined],
    ['2026', 60],
    ['2026-11-21T09:30:07Z', undefined],
    ['Sat, 21 Nov 2026 09:30:07 PST', undefined],
    ['Sat, 21 Foo 2026 09:30:07 GMT', undefined],
    ['Sat, 41 Nov 2026 09:30:07 GMT', undefined],
  ] as const) {
    assert.equal(retryAfterSecondsOf(new Headers({ 'retry-after': header }), NOW, 60), seconds, header)
  }
  assert.equal(retryAfterSecondsOf(new Headers(), NOW, 60), undefined)
})

const STATED_MS = 20_000
/** Longer than any wait of that length with its spread. */
const SPREAD_MS_MAX = 6000

/** Waits twentieths, and as long as the test says where the service stated a wait. */
const makePatience = () => {
  const waits: (() => void)[] = []
  const after: Runtime['after'] = (ms, call) => {
    if (ms < STATED_MS || ms > STATED_MS + SPREAD_MS_MAX) return WEB_RUNTIME.after(ms / 20, call)
    waits.push(call)
    return () => undefined
  }
  return { runtime: { ...WEB_RUNTIME, after }, waits }
}

const inSeconds = (): string => String(STATED_MS / 1000)
const asDate = (): string => new Date(Date.now() + STATED_MS + 1000).toUTCString()

/** How many of its askers wait: the head is asked for by the follower and for its own sake. */
const ROWS = [
  { path: FEED, askers: 2, status: 429, header: asDate },
  { path: `${FEED}/snapshot`, askers: 1, status: 503, header: asDate },
  { path: `${FEED}/segments/epoch-1/0-1`, askers: 1, status: 429, header: asDate },
  { path: `${FEED}/stream`, askers: 1, status: 503, header: inSeconds },
  { path: `${FEED}/changes`, askers: 1, status: 503, header: inSeconds },
  { path: `${FEED}/positions`, askers: 1, status: 429, header: inSeconds },
] as const

for (const { path, askers, status, header } of ROWS) {
  test(`after a ${status} with Retry-After ${path} is asked again when that time is over, and not before`, async t => {
    const publisher = await open(t)
    publisher.end(publisher.mint())
    const { runtime, waits } = makePatience()
    publisher.fault = ({ url = '' }, response) =>
      url.split('?')[0] === path && Boolean(response.writeHead(status, { 'retry-after': header() }).end())
    const verifier = verifierOf(t, publisher, { runtime, name: 'orders-1' })
    void verifier.ready()
    const isHead = path === FEED
    await until('it waits', async () => {
      // Not written to the stream: what is missing is asked for with each head and heartbeat that shows it.
      const isBehind = path === `${FEED}/changes` && publisher.log.streams() > 0
      if (isBehind) publisher.log.facts.push({ exp: 2_000_000_000, tail: Buffer.alloc(8, 1) })
      publisher.log.beat(publisher)
      return waits.length === askers
    })
    const others = publisher.count(FEED)
    await until('others ask meanwhile', async () => {
      publisher.log.beat(publisher)
      return isHead || publisher.count(FEED) > others + 3
    })
    assert.equal(publisher.count(path), askers)
    publisher.fault = undefined
    for (const end of waits) end()
    await until('it is asked again', async () => publisher.count(path) > askers)
  })
}
