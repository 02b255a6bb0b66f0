// When a token is fetched, kept, replaced and given up, by clocks that the test sets.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import type { AccessToken } from '../src/tokens/access-token.ts'
import { TokenRefused, TokenUnavailable } from '../src/tokens/token-errors.ts'
import { makeTokenSource, type TokenSource, type TokenSourceOptions } from '../src/tokens/token-source.ts'
import { goodToken, json, type LyingServer, startLyingServer } from './lying-server.ts'
import { makeWorld, type ManualWorld } from './manual-world.ts'

let server: LyingServer
let world: ManualWorld
let failures: unknown[]

before(async () => {
  server = await startLyingServer(goodToken())
})
after(() => server.close())
beforeEach(() => {
  world = makeWorld()
  failures = []
  server.answerWith(goodToken())
})

const makeSource = (options: Partial<TokenSourceOptions> = {}): TokenSource => {
  const onRefreshFailure = (error: unknown): void => void failures.push(error)
  const given = { tokenEndpoint: `${server.url}/token`, clientId: 'reports', clientSecret: 'mmc_secret' }
  return makeTokenSource({ ...given, onRefreshFailure, ...options }, world)
}

/** How many requests came meanwhile. */
const countRequests = async (work: () => Promise<unknown>): Promise<number> => {
  const earlier = server.received.length
  await work()
  return server.received.length - earlier
}

/** Waits for a refresh that nobody waits for: its failure is reported, or another token is handed out. */
const refreshFailed = (count = 1): Promise<void> =>
  until('a refresh failed', () => Promise.resolve(failures.length >= count))

const refreshed = (source: TokenSource, { value }: AccessToken): Promise<void> =>
  until('a token was refreshed', async () => (await source.getToken()).value !== value)

const unavailable = (check: (error: TokenUnavailable) => void) => (error: unknown) => {
  assert.ok(error instanceof TokenUnavailable, String(error))
  check(error)
  return true
}

test('an argument too many of getToken, or what is no token for invalidate, is named: it would change nothing', async () => {
  const source = makeSource()
  const asked = server.received.length
  const getToken = source.getToken as (...given: readonly unknown[]) => Promise<unknown>
  await assert.rejects(getToken({}, { signal: AbortSignal.abort() }), /^TypeError: getToken: .* an argument too many/)
  const invalidate = source.invalidate as (...given: readonly unknown[]) => unknown
  const message = 'invalidate: the argument is not an AccessToken, or the text of one.'
  for (const given of [[], [undefined], [null], [{}], [{ value: undefined }], [''], ['Bearer token.1'], [7]]) {
    assert.throws(() => invalidate(...given), { name: 'TypeError', message })
  }
  assert.throws(() => invalidate('token.1', 'token.2'), /^TypeError: invalidate: .* an argument too many/)
  invalidate('token.1')
  assert.equal(server.received.length, asked)
})

test('fifty callers at once wait for one request', async () => {
  const source = makeSource()
  let tokens: readonly string[] = []
  const requests = await countRequests(async () => {
    const got = await Promise.all(Array.from({ length: 50 }, () => source.getToken()))
    tokens = got.map(({ value }) => value)
  })
  assert.deepEqual([requests, new Set(tokens).size], [1, 1])
})

test('a caller that gives up leaves the request to those who still wait', async () => {
  const source = makeSource()
  const controller = new AbortController()
  const reason = new Error('enough')
  const [given, kept] = [source.getToken({ signal: controller.signal }), source.getToken()]
  controller.abort(reason)
  await assert.rejects(given, reason)
  assert.match((await kept).value, /^token\.number/)
  await assert.rejects(source.getToken({ signal: AbortSignal.abort(reason) }), reason)
})

test('a token is replaced at a share of its life from 70 to 85 percent, while it is still handed out', async () => {
  for (const [dice, share] of [
    [0, 0.7],
    [0.999_999, 0.85],
  ] as const) {
    world.roll(dice)
    const source = makeSource()
    const first = await source.getToken()
    world.pass(300_000 * share - 10)
    assert.equal(await countRequests(() => source.getToken()), 0)
    world.pass(20)
    assert.equal((await source.getToken()).value, first.value)
    await refreshed(source, first)
  }
})

test('a token is not handed out in its last five seconds, or the last tenth of a short life', async () => {
  for (const [lifetime, lastMs] of [
    [300, 295_000],
    [10, 9_000],
  ] as const) {
    server.answerWith(goodToken({ expires_in: lifetime }))
    const source = makeSource()
    const first = await source.getToken()
    server.answerWith(json(503, {}))
    world.pass(lastMs - 1)
    assert.equal((await source.getToken()).value, first.value)
    await refreshFailed(failures.length + 1)
    world.pass(1)
    await assert.rejects(source.getToken(), TokenUnavailable)
  }
})

test('a valid token is handed out while its refresh fails, and the failure is reported', async () => {
  const source = makeSource()
  const first = await source.getToken()
  server.answerWith(json(503, { error: 'temporarily_unavailable' }, { 'retry-after': '20' }))
  world.pass(250_000)
  assert.equal((await source.getToken()).value, first.value)
  await refreshFailed()
  assert.deepEqual(
    failures.map(error => (error as TokenUnavailable).retryAfterSeconds),
    [20],
  )
  world.pass(19_000)
  assert.equal(await countRequests(() => source.getToken()), 0)
  server.answerWith(goodToken())
  world.pass(1_001)
  assert.equal((await source.getToken()).value, first.value)
  await refreshed(source, first)
})

for (const [what, fail] of [
  ['throws', () => assert.fail('of the caller')],
  ['rejects', () => Promise.reject(new Error('of the caller'))],
] as const) {
  test(`a function that ${what} where a failure is reported ends nothing`, async () => {
    const source = makeSource({
      onRefreshFailure: error => {
        failures.push(error)
        return fail()
      },
    })
    const first = await source.getToken()
    server.answerWith(json(500, {}))
    world.pass(250_000)
    assert.equal((await source.getToken()).value, first.value)
    await refreshFailed()
    assert.equal((await source.getToken()).value, first.value)
  })
}

test('Retry-After is kept, in seconds or as a date, with at most 300 s, and no request is sent before', async () => {
  const date = new Date(world.wallMs() + 40_000).toUTCString()
  for (const [header, seconds] of [
    ['7', 7],
    ['300', 300],
    ['301', 300],
    ['999999999999999999999', 300],
    ['0', 1],
    [date, 40],
  ] as const) {
    for (const status of [429, 503]) {
      server.answerWith(json(status, { error: 'too_many_requests' }, { 'retry-after': header }))
      const source = makeSource()
      const expected = unavailable(error => assert.equal(error.retryAfterSeconds, seconds))
      await assert.rejects(source.getToken(), expected)
      server.answerWith(goodToken())
      const requests = await countRequests(() => assert.rejects(source.getToken(), expected))
      assert.equal(requests, 0)
      world.pass(seconds * 1000 - 1)
      await assert.rejects(
        source.getToken(),
        unavailable(error => assert.equal(error.retryAfterSeconds, 1)),
      )
      world.pass(1)
      await source.getToken()
      world.pass(-seconds * 1000)
    }
  }
})

test('without Retry-After the pause doubles up to 30 s, after a refusal too, and a success ends it', async () => {
  for (const [answer, kind] of [
    [json(500, 'no JSON'), TokenUnavailable],
    [json(401, { error: 'invalid_client' }), TokenRefused],
  ] as const) {
    server.answerWith(answer)
    world.roll(0.999_999)
    const source = makeSource()
    const pauses = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
    for (const pause of pauses) {
      assert.equal(await countRequests(() => assert.rejects(source.getToken(), kind)), 1)
      world.pass(pause - 10)
      assert.equal(await countRequests(() => assert.rejects(source.getToken(), kind)), 0)
      world.pass(10)
    }
    server.answerWith(goodToken())
    assert.equal(await countRequests(() => source.getToken()), 1)
  }
})

test('a wall clock that is set back, or stands still, makes no token live longer, and one set forth asks once', async () => {
  const source = makeSource()
  const first = await source.getToken()
  world.step(-86_400_000)
  world.pass(294_999)
  assert.equal((await source.getToken()).value, first.value)
  await refreshed(source, first)
  world.step(86_400_000)
  assert.equal(await countRequests(() => source.getToken()), 1)
  assert.equal(await countRequests(() => source.getToken()), 0)
})

test('an answer that takes longer than its token lives is not taken', async () => {
  server.answerWith((received, response) => {
    world.pass(31_000)
    return goodToken({ expires_in: 30 })(received, response)
  })
  await assert.rejects(
    makeSource().getToken(),
    unavailable(error => assert.equal(error.reason, 'the answer took longer than the token lives')),
  )
})

test('a lifetime counts for a day at most', async () => {
  server.answerWith(goodToken({ expires_in: 1e300 }))
  const source = makeSource()
  const { expiresAt } = await source.getToken()
  assert.equal(expiresAt.getTime(), world.wallMs() + 86_400_000)
  world.pass(86_400_000)
  assert.equal(await countRequests(() => source.getToken()), 1)
})
