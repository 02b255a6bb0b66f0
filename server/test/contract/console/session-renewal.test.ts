// The renewal of a session's JWT at the provider: when, by which request, and what becomes of the session where it fails.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, test } from 'node:test'
import type { Headers } from '../../../../testkit/callers/administration.ts'
import { type Answer, send } from '../../../../testkit/callers/requests.ts'
import { signIn } from '../../../../testkit/callers/sessions.ts'
import { strikePorts } from '../../../../testkit/services/struck-ports.ts'
import { startServer, type TestServer, type TestServerOptions } from '../../../../testkit/services/test-server.ts'
import { openTestedStore } from '../../../../testkit/stores/store.ts'
import { Unavailable } from '../../../src/domain/refusal.ts'
import type { FoundSession, Sessions } from '../../../src/ports/sessions.ts'
import type { Timing } from '../../../src/ports/timing.ts'

let service: TestServer

beforeEach(async () => {
  service = await startServer()
})
afterEach(() => service.close())

const MINUTE_MS = 60_000

const ask = (headers: Headers): Promise<Answer> => send(service, { path: '/api/v1/tokens', headers })
const statusOf = async (headers: Headers): Promise<number> => (await ask(headers)).status

const renewals = (): number => service.provider.tokens.asked.get('refresh_token') ?? 0

/** A service that waits for its provider for a moment only. */
const restart = async (timing: Partial<Timing>, more: TestServerOptions = {}): Promise<void> => {
  await service.close()
  service = await startServer({ timing: { sessionPollMs: 5, ...timing }, ...more })
}

const assertUnavailable = ({ status, headers, json }: Answer): void => {
  assert.equal(status, 503)
  assert.notEqual(headers['retry-after'], undefined)
  assert.equal((json as { readonly error: string }).error, 'temporarily_unavailable')
}

/** The session of these headers, as another process of the store finds it. */
const findIn = async (sessions: Sessions, { cookie = '' }: Headers): Promise<FoundSession['session']> => {
  const secret = cookie.slice(cookie.indexOf('=') + 1)
  const found = await sessions.find(createHash('sha256').update(secret).digest('hex'))
  assert.ok(found !== undefined)
  return found.session
}

test('a minute before the JWT expires one of 50 requests renews it, and all are answered', async () => {
  const headers = await signIn(service)
  service.clock.advance(4 * MINUTE_MS - 1000)
  assert.equal(await statusOf(headers), 200)
  assert.equal(renewals(), 0)
  service.clock.advance(1000)
  const answers = await Promise.all(Array.from({ length: 50 }, () => statusOf(headers)))
  assert.deepEqual(new Set(answers), new Set([200]))
  assert.equal(renewals(), 1)
})

test('where the JWT has expired the others wait for the one that renews it', async () => {
  const headers = await signIn(service)
  for (const round of [1, 2, 3]) {
    service.clock.advance(6 * MINUTE_MS)
    const answers = await Promise.all(Array.from({ length: 20 }, () => statusOf(headers)))
    assert.deepEqual(new Set(answers), new Set([200]), String(round))
    assert.equal(renewals(), round)
  }
})

test('a session without a refresh token ends with its JWT', async () => {
  const headers = await signIn(service, {}, { renewable: false })
  service.clock.advance(5 * MINUTE_MS - 1000)
  assert.equal(await statusOf(headers), 200)
  service.clock.advance(2 * MINUTE_MS)
  assert.equal(await statusOf(headers), 401)
  assert.equal(renewals(), 0)
})

test('a provider that renews no more is asked once, and the session ends with its JWT', async () => {
  const headers = await signIn(service)
  service.provider.tokens.fault = { status: 400, error: 'invalid_grant' }
  service.clock.advance(4 * MINUTE_MS + 1000)
  for (const _ of [1, 2, 3]) assert.equal(await statusOf(headers), 200)
  assert.equal(renewals(), 1)
  service.clock.advance(2 * MINUTE_MS)
  assert.equal(await statusOf(headers), 401)
  assert.equal(renewals(), 1)
})

test('a provider that fails ends nothing while the JWT lasts; then it is 503, and comes back', async () => {
  const headers = await signIn(service)
  service.clock.advance(4 * MINUTE_MS + 1000)
  service.provider.tokens.fault = 'error'
  assert.equal(await statusOf(headers), 200)
  service.clock.advance(2 * MINUTE_MS)
  const late = await ask(headers)
  assert.equal(late.status, 503)
  assert.notEqual(late.headers['retry-after'], undefined)
  service.provider.tokens.fault = 'html'
  service.clock.advance(MINUTE_MS)
  assert.equal(await statusOf(headers), 503)
  service.provider.tokens.fault = undefined
  service.clock.advance(MINUTE_MS)
  assert.equal(await statusOf(headers), 200)
})

test('while the provider is out of reach each request of an expired JWT is 503, and the first one after that succeeds', async () => {
  await restart({ signInAnswerMs: 200 })
  const busy = ['temporarily_unavailable', 'server_error'].map(error => ({ status: 400, error }) as const)
  for (const fault of ['error', 'hang', ...busy] as const) {
    const headers = await signIn(service)
    service.clock.advance(6 * MINUTE_MS)
    service.provider.tokens.fault = fault
    for (const _ of [1, 2, 3]) assertUnavailable(await ask(headers))
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => ask(headers)))) assertUnavailable(answer)
    service.provider.tokens.fault = undefined
    assert.equal(await statusOf(headers), 200, JSON.stringify(fault))
  }
})

test('a renewal that fails while the JWT lasts is tried again after 15 s, and at once when the JWT has expired', async () => {
  const headers = await signIn(service)
  service.provider.tokens.fault = 'error'
  service.clock.advance(4 * MINUTE_MS)
  for (const [ms, asked] of [
    [0, 1],
    [14_999, 1],
    [1, 2],
    [44_999, 3],
    [1, 4],
  ] as const) {
    service.clock.advance(ms)
    // A JWT is taken for a moment after its `exp`, because clocks differ.
    assert.equal(await statusOf(headers), 200)
    assert.equal(renewals(), asked)
  }
  service.clock.advance(MINUTE_MS)
  assertUnavailable(await ask(headers))
  service.provider.tokens.fault = undefined
  assert.equal(await statusOf(headers), 200)
})

test('a provider that refuses the client of the console ends no session, and is asked once in 15 s for all of them', async () => {
  const sessions = [await signIn(service), await signIn(service, { sub: 'another' })]
  service.clock.advance(6 * MINUTE_MS)
  service.provider.tokens.fault = { status: 401, error: 'invalid_client' }
  for (const asked of [1, 2]) {
    for (const headers of [...sessions, ...sessions]) assertUnavailable(await ask(headers))
    assert.equal(renewals(), asked)
    service.clock.advance(15_000)
  }
  service.provider.tokens.fault = undefined
  for (const headers of sessions) assert.equal(await statusOf(headers), 200)
})

test('a JWT that lives a minute or less is renewed once near its end, not at each request', async () => {
  for (const lifetime of [60, 8]) {
    const exp = (): number => Math.floor(service.clock.wall() / 1000) + lifetime
    const before = renewals()
    const headers = await signIn(service, { exp: exp() })
    service.clock.advance(lifetime * 750 - 1)
    for (const _ of [1, 2, 3]) assert.equal(await statusOf(headers), 200)
    assert.equal(renewals(), before, String(lifetime))
    service.clock.advance(1)
    service.provider.tokens.renewed = { exp: exp() }
    for (const _ of [1, 2, 3]) assert.equal(await statusOf(headers), 200)
    assert.equal(renewals(), before + 1, String(lifetime))
  }
})

test('a JWT whose expiry is in milliseconds is taken for one that is not due', async () => {
  const headers = await signIn(service, { exp: service.clock.wall() })
  for (const _ of [1, 2, 3]) assert.equal(await statusOf(headers), 200)
  assert.equal(renewals(), 0)
})

test('a process that is killed as it renews delays the session for 15 s, and one whose renewal fails for no time', async () => {
  await restart({})
  const headers = await signIn(service)
  const other = await openTestedStore({ file: service.storeFile, clock: service.clock, retention: null })
  try {
    const session = await findIn(other.sessions, headers)
    service.clock.advance(6 * MINUTE_MS)
    const killed = await other.sessions.claimRenewal(session)
    assert.ok(killed !== undefined)
    assert.equal(await other.sessions.claimRenewal(session), undefined)
    service.clock.advance(14_000)
    assertUnavailable(await ask(headers))
    // The clocks of two processes of a database may be apart.
    service.clock.advance(2000)
    const failing = await other.sessions.claimRenewal(session)
    assert.ok(failing !== undefined)
    // The claim that is over is no longer that of its process.
    await other.sessions.releaseRenewal(session.id, killed, 0)
    assertUnavailable(await ask(headers))
    await other.sessions.releaseRenewal(session.id, failing, 0)
    assert.equal(await statusOf(headers), 200)
    assert.equal(renewals(), 1)
  } finally {
    await other.close()
  }
})

test('what a renewal got does not take the place of what a later one got', async () => {
  await restart({})
  const headers = await signIn(service)
  const other = await openTestedStore({ file: service.storeFile, clock: service.clock, retention: null })
  try {
    const { id, sealedTokens } = await findIn(other.sessions, headers)
    service.clock.advance(6 * MINUTE_MS)
    const slow = await other.sessions.claimRenewal({ id, sealedTokens })
    assert.ok(slow !== undefined)
    service.clock.advance(16_000)
    assert.equal(await statusOf(headers), 200)
    await other.sessions.renew(id, slow, { sealedTokens, expiresAt: 0 })
    assert.notDeepEqual((await findIn(other.sessions, headers)).sealedTokens, sealedTokens)
  } finally {
    await other.close()
  }
})

test('new tokens are kept while the keys of the provider cannot be read, because the refresh token is used up', async () => {
  const ports = strikePorts(['operators'])
  await restart({}, { break: ports.break })
  const headers = await signIn(service)
  service.clock.advance(6 * MINUTE_MS)
  ports.struck.set('operators.verify', () => Promise.reject(new Unavailable('no keys')))
  assertUnavailable(await ask(headers))
  ports.heal()
  assert.equal(await statusOf(headers), 200)
  assert.equal(renewals(), 1)
})

test('a renewal takes the role as the provider gives it then', async () => {
  const headers = await signIn(service)
  service.provider.tokens.renewed = { roles: ['mintmark-viewer'] }
  assert.equal((await send(service, { path: '/api/v1/sessions', headers })).status, 200)
  service.clock.advance(6 * MINUTE_MS)
  assert.equal((await send(service, { path: '/api/v1/sessions', headers })).status, 403)
  assert.equal(await statusOf(headers), 200)
  service.provider.tokens.renewed = { roles: [] }
  service.clock.advance(6 * MINUTE_MS)
  assert.equal(await statusOf(headers), 403)
})

test('a renewal to another operator, or to a JWT for another service, ends the session', async () => {
  for (const renewed of [{ sub: 'somebody else' }, { aud: 'https://elsewhere.example' }, { exp: 1 }]) {
    const headers = await signIn(service)
    service.provider.tokens.renewed = renewed
    service.clock.advance(6 * MINUTE_MS)
    assert.equal(await statusOf(headers), 401, JSON.stringify(renewed))
    service.provider.tokens.renewed = {}
    service.clock.advance(6 * MINUTE_MS)
    assert.equal(await statusOf(headers), 401, JSON.stringify(renewed))
  }
})
