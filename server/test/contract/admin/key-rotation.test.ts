// Rotations as verifiers see them, in simulated time and under load: with a cached key set none ever refuses a live token.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import { type AgentOfTest, startServer, type TestServer } from '../../../../testkit/services/test-server.ts'
import type { SigningKeysConfig } from '../../../src/config/config.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { get, issue, send } from '../../../../testkit/callers/requests.ts'

const [ROTATIONS, NIGHTS] = isThorough ? [50, 5] : [6, 3]
/** Time goes on while a key is made: on a loaded machine many steps. Without an end a test that fails would not end. */
const STEPS_MAX = 10_000
const STEP_MS = 30_000
const TOKENS_A_STEP = 2
const KEY_SET = '/.well-known/jwks.json'

type Verifier = { readonly name: string; readonly keys: () => Promise<JWTVerifyGetKey> }

/** As jose does it by default: ten minutes, and again for an unknown kid, but not within 30 s. */
const joseVerifier = (service: TestServer): Verifier => {
  const keys = createRemoteJWKSet(new URL(service.baseUrl + KEY_SET))
  return { name: 'jose', keys: () => Promise.resolve(keys) }
}

/** Keeps the key set for all of the max-age that was sent with it, whatever it meets; first asks `afterMs` from now. */
const thriftyVerifier = (service: TestServer, afterMs: number): Verifier => {
  let kept: JWTVerifyGetKey | undefined
  let until = 0
  const fetchKeys = async (): Promise<JWTVerifyGetKey> => {
    const answer = await get(service, KEY_SET)
    const seconds = Number(/max-age=(\d+)/.exec(answer.headers['cache-control'] ?? '')?.[1])
    assert.ok(seconds > 0)
    until = service.clock.wall() + 1000 * seconds
    return createLocalJWKSet(answer.json as JSONWebKeySet)
  }
  const begins = service.clock.wall() + afterMs
  return {
    name: `kept for max-age, from ${afterMs / 1000} s on`,
    keys: async () => {
      if (kept === undefined || service.clock.wall() >= until) kept = await fetchKeys()
      // Before its first time it forgets, so that verifiers ask at different times.
      if (service.clock.wall() < begins) until = 0
      return kept
    },
  }
}

type World = {
  readonly service: TestServer
  readonly agent: AgentOfTest
  readonly headers: Headers
  readonly verifiers: readonly Verifier[]
  /** Moves every clock on, jose's too. */
  readonly pass: (ms: number) => Promise<void>
}

const makeWorld = async (t: TestContext, signingKeys: SigningKeysConfig): Promise<World> => {
  const service = await startServer({ config: { signingKeys } })
  t.after(() => service.close())
  t.mock.timers.enable({ apis: ['Date'], now: service.clock.wall() })
  const verifiers = [joseVerifier(service), ...[0, 100_000, 200_000].map(ms => thriftyVerifier(service, ms))]
  const pass = async (ms: number): Promise<void> => {
    service.clock.advance(ms)
    t.mock.timers.setTime(service.clock.wall())
    // A write wakes the maintenance of the store.
    assert.equal((await get(service, '/readyz')).status, 200)
  }
  return { service, agent: await service.createAgent(), headers: await admin(service), verifiers, pass }
}

type Live = { readonly token: string; readonly kid: string; readonly expires: number }

const issueLive = async ({ service, agent }: World): Promise<Live> => {
  const token = await issue(service, agent)
  const [header, payload] = token
    .split('.', 2)
    .map(part => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
  return { token, kid: String(header?.['kid']), expires: 1000 * Number(payload?.['exp']) }
}

/** Who refuses a live token, and why. */
const refusals = async ({ service, verifiers }: World, tokens: readonly Live[]): Promise<readonly string[]> => {
  const currentDate = new Date(service.clock.wall())
  const tries = verifiers.flatMap(({ name, keys }) =>
    tokens.map(async ({ token, kid }) => {
      try {
        await jwtVerify(token, await keys(), { issuer: service.baseUrl, typ: 'at+jwt', currentDate })
        return []
      } catch (error) {
        return [`${name}: ${kid} ${String(error)}`]
      }
    }),
  )
  return (await Promise.all(tries)).flat()
}

/** One step of time, with load: new tokens and the oldest live ones, at every verifier. */
const step = async (world: World, live: Live[]): Promise<string> => {
  await world.pass(STEP_MS)
  const fresh = await Promise.all(Array.from({ length: TOKENS_A_STEP }, () => issueLive(world)))
  live.push(...fresh)
  while ((live[0]?.expires ?? Number.POSITIVE_INFINITY) <= world.service.clock.wall()) live.shift()
  assert.deepEqual(await refusals(world, [...fresh, ...live.slice(0, 1)]), [])
  return fresh.at(-1)?.kid ?? ''
}

test(`a verifier with a cached key set refuses no live token over ${ROTATIONS} rotations, each as soon as it may be`, async t => {
  const world = await makeWorld(t, { algorithm: 'ES256', rotationDays: null })
  const live: Live[] = []
  const signed = new Set<string>()
  let steps = 0
  while (signed.size <= ROTATIONS) {
    const kid = await step(world, live)
    if (!signed.has(kid)) {
      signed.add(kid)
      const path = '/api/v1/keys/rotate'
      const headers = await admin(world.service)
      assert.ok((await call(world.service, { method: 'POST', path, body: {} }, headers)).status < 300)
    }
    steps += 1
    assert.ok(steps < STEPS_MAX, 'Rotations that were asked for are not done.')
  }
  const { keys } = (await get(world.service, KEY_SET)).json as JSONWebKeySet
  assert.ok(keys.length <= 4, 'What no live token needs leaves the key set.')
})

test('rotations by the clock, each after a night in which the service did not run, refuse nothing either', async t => {
  const world = await makeWorld(t, { algorithm: 'ES256', rotationDays: 1 })
  const signed = new Set<string>()
  const live: Live[] = []
  for (let n = 0; signed.size < NIGHTS; n += 1) {
    assert.ok(n < STEPS_MAX, 'Keys do not rotate by the clock.')
    if (n % 20 === 19) await world.pass(12 * 3_600_000)
    signed.add(await step(world, live))
  }
})

test('a service that is configured with another algorithm moves to it, and verifiers take tokens of both meanwhile', async t => {
  const world = await makeWorld(t, { algorithm: 'EdDSA', rotationDays: 30 })
  const algorithms = async (): Promise<unknown> => {
    const [server, provider] = await Promise.all(
      ['oauth-authorization-server', 'openid-configuration'].map(
        async name => (await get(world.service, `/.well-known/${name}`)).json as Record<string, unknown>,
      ),
    )
    const announced = server?.['introspection_signing_alg_values_supported']
    assert.deepEqual(provider?.['introspection_signing_alg_values_supported'], announced)
    assert.deepEqual(provider?.['id_token_signing_alg_values_supported'], announced)
    return announced
  }
  const live: Live[] = []
  const first = await step(world, live)
  assert.deepEqual(await algorithms(), ['ES256', 'EdDSA'])
  for (let n = 0; (await step(world, live)) === first; n += 1)
    assert.ok(n < STEPS_MAX, 'The algorithm does not change.')
  assert.deepEqual(await algorithms(), ['EdDSA', 'ES256'])
  for (let n = 0; JSON.stringify(await algorithms()) !== '["EdDSA"]'; n += 1) {
    assert.ok(n < STEPS_MAX, 'The key of the former algorithm stays.')
    await step(world, live)
  }
})

test('the key set shows the current key first, then the next, then the retained one, and its ETag follows it', async t => {
  const world = await makeWorld(t, { algorithm: 'ES256', rotationDays: null })
  const seen = async () => {
    const answer = await get(world.service, KEY_SET)
    return { kids: (answer.json as JSONWebKeySet).keys.map(({ kid }) => kid), etag: answer.headers['etag'] ?? '' }
  }
  const live: Live[] = []
  const current = await step(world, live)
  for (let n = 0; (await seen()).kids.length < 2; n += 1) {
    assert.ok(n < STEPS_MAX, 'No next key is made.')
    await step(world, live)
  }
  const before = await seen()
  assert.equal(before.kids[0], current)
  await call(world.service, { method: 'POST', path: '/api/v1/keys/rotate', body: { force: true } }, world.headers)
  const after = await seen()
  assert.deepEqual(after.kids.slice(0, 1), before.kids.slice(1))
  assert.equal(after.kids.at(-1), current)
  const conditional = { path: KEY_SET, headers: { 'if-none-match': before.etag } }
  assert.equal((await send(world.service, conditional)).status, 200)
  assert.equal((await send(world.service, { ...conditional, headers: { 'if-none-match': after.etag } })).status, 304)
})
