// A service, or what stands before it, that hangs, lies, resets and floods: a revoked token is never accepted by the feed.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import { type Runtime, WEB_RUNTIME } from '../src/wire/runtime.ts'
import { verifierOf, verifyAs } from './fixtures.ts'
import { open } from './follow.ts'
import { changesBetween, headOf } from './log.ts'
import type { Fault, Publisher } from './publisher.ts'

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

test('a fetch that throws, or never calls back, is a service that is down', async t => {
  const publisher = await open(t)
  const failing = verifierOf(t, publisher, {
    fetch: () => {
      throw new TypeError('Network is down.')
    },
  })
  assert.equal(await verifyAs(failing, publisher.mint().token), 'keys_unavailable')
  assert.match(failing.status().lastFailure?.problem ?? '', /TypeError: Network is down\.|The request failed/)
})
