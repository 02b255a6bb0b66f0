// The gateway process beside its checks: ready or not, stale, its metrics; and every known weakness of verifiers through /check.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { until } from '../../../testkit/processes/until.ts'
import { ATTACKER_JWKS } from '../../../testkit/forgeries/forgeries.ts'
import { weaknessesOf } from '../../../testkit/forgeries/weaknesses.ts'
import { setTrap } from '../../../testkit/identity-providers/trap.ts'
import { makeRuntime, usePublisher } from '../../verify/test/fixtures.ts'
import { open } from '../../verify/test/follow.ts'
import { check, openGateway } from './gateway.ts'
import { ask, statusOf } from '../../verify/test/servers/ask.ts'

const readiness = async (origin: string): Promise<readonly unknown[]> =>
  Promise.all(['/livez', '/readyz'].map(path => statusOf(ask(origin, path))))

const stale = (publisher: { fault: unknown }): void => {
  publisher.fault = (_request: unknown, response: { writeHead: (status: number) => { end: () => void } }) => {
    response.writeHead(503).end()
    return true
  }
}

test('it is ready once the feed is confirmed, and beyond the staleness neither ready nor open', async t => {
  for (const whenStale of ['refuse', 'introspect']) {
    const publisher = await open(t)
    const runtime = makeRuntime()
    const args = ['--mode', 'feed', '--max-staleness', '5', '--when-stale', whenStale]
    const { origin, verifier } = await openGateway(t, publisher, args, runtime)
    assert.deepEqual(await readiness(origin), [200, 503])
    await verifier.ready()
    assert.deepEqual(await readiness(origin), [200, 200])
    const { token } = publisher.mint()
    assert.equal(await statusOf(check(origin, token)), 200)
    stale(publisher)
    runtime.pass(5001)
    assert.deepEqual(await readiness(origin), [200, 503])
    const answered = await check(origin, token)
    assert.deepEqual([answered.status, answered.body, answered.headers['retry-after']], [503, '', '1'])
    assert.equal(answered.headers['www-authenticate'], undefined)
  }
})

test('a token that the feed ends is 401, and its bearer learns no more', async t => {
  const publisher = await open(t)
  const { origin, verifier } = await openGateway(t, publisher, ['--mode', 'feed', '--when-stale', 'refuse'])
  await verifier.ready()
  const [ended, live] = [publisher.mint(), publisher.mint()]
  assert.equal(await statusOf(check(origin, ended.token)), 200)
  publisher.end(ended)
  await until('it is refused', async () => (await statusOf(check(origin, ended.token))) === 401)
  assert.equal(await statusOf(check(origin, live.token)), 200)
})

test('in mode offline it is ready once the keys were read, in mode introspect at once, and never while it stops', async t => {
  const publisher = await open(t)
  const offline = await openGateway(t, publisher)
  assert.deepEqual(await readiness(offline.origin), [200, 503])
  await offline.verifier.ready()
  assert.deepEqual(await readiness(offline.origin), [200, 200])
  const { origin, beginStop } = await openGateway(t, publisher, ['--mode', 'introspect'])
  assert.deepEqual(await readiness(origin), [200, 200])
  beginStop()
  assert.deepEqual(await readiness(origin), [200, 503])
  const { token } = publisher.mint()
  const answered = await check(origin, token)
  assert.deepEqual([answered.status, answered.headers.connection], [200, 'close'])
})

test('in mode offline it is no longer ready where keys are too old to be believed, and stays ready where no token comes', async t => {
  const publisher = await open(t)
  const runtime = makeRuntime()
  const { origin, verifier } = await openGateway(t, publisher, [], runtime)
  await verifier.ready()
  for (let n = 0; n < 3; n += 1) {
    runtime.pass(1_800_001)
    await verifier.ready()
    await until('keys are young', async () => (verifier.status().keysAgeMs ?? Infinity) < 1_800_000)
    assert.deepEqual(await readiness(origin), [200, 200])
  }
  const lasting = publisher.mint({ exp: Math.floor(runtime.wallMs() / 1000) + 7200 })
  stale(publisher)
  runtime.pass(3_600_001)
  assert.equal(await statusOf(check(origin, lasting.token)), 503)
  assert.deepEqual(await readiness(origin), [200, 503])
  publisher.fault = undefined
  await verifier.ready()
  assert.deepEqual(await readiness(origin), [200, 200])
  assert.equal(await statusOf(check(origin, lasting.token)), 200)
})

test('the metrics count checks by outcome and refusals by cause, and say how stale it is', async t => {
  const publisher = await open(t)
  publisher.end(publisher.mint())
  const { origin, verifier } = await openGateway(t, publisher, ['--mode', 'feed'])
  const before = await ask(origin, '/metrics')
  assert.match(before.body, /^mintmark_verify_staleness_seconds \+Inf$/m)
  await verifier.ready()
  await check(origin, publisher.mint().token)
  await check(origin, undefined)
  await check(origin, publisher.mint().token, '/check?scope=db:admin')
  await check(origin, undefined, '/check?scopes=x')
  const { status, headers, body } = await ask(origin, '/metrics')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  const samples = body.split('\n').filter(line => !line.startsWith('#') && !line.includes('staleness'))
  assert.deepEqual(samples, [
    'mintmark_verify_checks_total{outcome="accepted"} 1',
    'mintmark_verify_checks_total{outcome="unauthorized"} 1',
    'mintmark_verify_checks_total{outcome="forbidden"} 1',
    'mintmark_verify_checks_total{outcome="unavailable"} 0',
    'mintmark_verify_checks_total{outcome="failed"} 1',
    'mintmark_verify_refusals_total{cause="missing_token"} 1',
    'mintmark_verify_refusals_total{cause="insufficient_scope"} 1',
    'mintmark_verify_refusals_total{cause="bad_query"} 1',
    'mintmark_verify_problems_total 0',
    'mintmark_verify_ready 1',
    'mintmark_verify_position 1',
    '',
  ])
  assert.match(body, /^mintmark_verify_staleness_seconds \d/m)
  assert.ok(body.endsWith('# EOF\n'))
})

suite('every known weakness of verifiers, through /check', () => {
  const publisher = usePublisher()
  test('none of its texts is accepted', async t => {
    const trap = await setTrap(ATTACKER_JWKS)
    t.after(() => trap.close())
    const { origin } = await openGateway(t, publisher)
    const { token, claims } = publisher.mint()
    const header = { alg: 'ES256', kid: publisher.kid, typ: 'at+jwt' }
    const genuine = { text: token, key: publisher.key, header, claims, trap: trap.address }
    assert.equal(await statusOf(check(origin, token)), 200)
    for (const { name, forge } of weaknessesOf('ES256')) {
      const forged = forge(genuine)
      // What no header can carry never arrives.
      if (/[^\t\u0020-\u00ff]/.test(forged)) continue
      const status = await statusOf(check(origin, forged))
      // Offline it cannot know that there is no such key, once others had the key set read.
      assert.ok(status === 401 || (status === 503 && /\bkid\b/.test(name)), `${name}: ${status}`)
    }
    assert.equal(trap.visits(), 0)
  })
})
