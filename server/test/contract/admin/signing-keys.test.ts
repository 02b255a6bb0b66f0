// Signing keys under /api/v1/keys: seen, rotated, retired, compromised, imported, and closed to everybody else.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { importSigningKey } from '../../../../api/signing-keys.ts'
import { admin, call, type Headers } from '../../../../testkit/callers/administration.ts'
import type { AgentOfTest } from '../../../../testkit/services/test-server.ts'
import { type Answer, assertProblem, get, introspect, issue } from '../../../../testkit/callers/requests.ts'
import { readRows, withFile } from '../../../../testkit/stores/store-file.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const KEYS = '/api/v1/keys'
const READY_MS = 360_000

type Key = {
  readonly kid: string
  readonly state: string
  readonly current_kid: string
  readonly warning: string | null
  readonly ready_in_seconds: number | null
  readonly leaves_in_seconds: number | null
  readonly public_jwk: { readonly alg: string }
}

const service = useService()
let agent: AgentOfTest
let headers: Headers

service.before(async () => {
  headers = await admin(service)
})

// A service of its own for each test would take a second each: one key that signs is what each begins with.
beforeEach(async () => {
  withFile(service.storeFile, db =>
    db.exec(`update signing_key set state = 'gone' where state in ('next', 'retained');
      update service set seq = seq + 1`),
  )
  agent = await service.createAgent()
})

const keyOf = ({ json }: Answer): Key => json as Key

const post = (path: string, body?: unknown): Promise<Answer> =>
  call(service, { method: 'POST', path: `${KEYS}${path}`, body }, headers)

const list = async (): Promise<readonly Key[]> =>
  ((await get(service, KEYS, headers)).json as { data: readonly Key[] }).data

const publishedKids = async (): Promise<readonly string[]> =>
  ((await get(service, '/.well-known/jwks.json')).json as { keys: readonly { kid: string }[] }).keys.map(
    ({ kid }) => kid,
  )

const currentKid = async (): Promise<string> =>
  (await list()).find(({ state }) => state === 'current')?.kid ?? assert.fail('No key is current.')

/** A next key, as if a service had been running for so long since it was published. */
const addNext = async (steadyMs = READY_MS): Promise<string> => {
  const answer = await post('/rotate')
  assert.equal(answer.status, 202)
  const { kid } = keyOf(answer)
  withFile(service.storeFile, db =>
    db.prepare('update signing_key set steady_ms = ?, wanted = 0 where kid = ?').run(steadyMs, kid),
  )
  return kid
}

const kidOf = (token: string): unknown =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: unknown }).kid

const content = (): unknown => readRows(service.storeFile, 'select * from signing_key order by n')

test('a key is shown whole but for its private half, with both bounds of its life', async () => {
  const kid = await currentKid()
  const answer = await get(service, `${KEYS}/${kid}`, headers)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['cache-control'], 'no-store')
  const { public_jwk, ...rest } = answer.json as Key & { public_jwk: object }
  assert.deepEqual(rest, {
    kid,
    algorithm: 'ES256',
    state: 'current',
    thumbprint: kid,
    imported: false,
    rotation_requested: false,
    created_at: '2026-11-21T09:30:00.000Z',
    signs_from: '2026-11-21T09:30:00.000Z',
    signs_until: null,
    rotates_at: null,
    gone_at: null,
    published_before_signing_seconds: 360,
    kept_after_signing_seconds: 360,
    ready_in_seconds: null,
    leaves_in_seconds: null,
  })
  assert.deepEqual(Object.keys(public_jwk).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  assert.doesNotMatch(answer.text, /"d"|sealed|private/i)
})

test('a key is kept for the longest lifetime of an agent and a minute', async () => {
  await service.createAgent({ lifetimeSeconds: 7200 })
  const [key] = await list()
  assert.equal((key as unknown as { kept_after_signing_seconds: number }).kept_after_signing_seconds, 7260)
  withFile(service.storeFile, db => db.exec('update agent set life = null'))
})

test('keys are listed newest first, a page at a time', async () => {
  await addNext()
  const whole = await list()
  const first = await get(service, `${KEYS}?limit=1`, headers)
  const { data, next_cursor } = first.json as { data: readonly Key[]; next_cursor: string }
  assert.deepEqual(data, whole.slice(0, 1))
  assert.equal(first.headers['link'], `<${service.baseUrl}${KEYS}?limit=1&cursor=${next_cursor}>; rel="next"`)
  const second = await get(service, `${KEYS}?cursor=${encodeURIComponent(next_cursor)}`, headers)
  assert.deepEqual((second.json as { data: readonly Key[] }).data, whole.slice(1))
  assertProblem(
    await get(service, `${KEYS}?cursor=1.api_keys.x.y`, headers),
    400,
    'invalid_request',
    'cursor: not one of this list with these filters. Start again without it.',
  )
  assert.equal((await get(service, `${KEYS}?state=next`, headers)).status, 400)
})

test('without a next key a rotation publishes one and says when it may sign', async () => {
  const former = await currentKid()
  const answer = await post('/rotate', {})
  assert.equal(answer.status, 202)
  const { kid, state, current_kid, warning, ready_in_seconds } = keyOf(answer)
  assert.deepEqual([state, current_kid, warning, ready_in_seconds], ['next', former, null, 360])
  assert.deepEqual(await publishedKids(), [former, kid])
  assert.equal(kidOf(await issue(service, agent)), former)
})

test('a rotation to a key that verifiers have signs with it at once, and every live token goes on', async () => {
  const former = await currentKid()
  const token = await issue(service, agent)
  const next = await addNext()
  const answer = await post('/rotate', { note: 'as planned' })
  assert.equal(answer.status, 200)
  const { kid, state, current_kid, warning } = keyOf(answer)
  assert.deepEqual([kid, state, current_kid, warning], [next, 'current', next, null])
  assert.equal(kidOf(await issue(service, agent)), next)
  assert.deepEqual(await publishedKids(), [next, former])
  const { key } = await service.createApiKey('tokens:introspect')
  assert.equal(((await introspect(service, key, token)).json as { active: boolean }).active, true)
  const old = keyOf(await get(service, `${KEYS}/${former}`, headers))
  assert.deepEqual([old.state, old.leaves_in_seconds], ['retained', 360])
})

test('a forced rotation says what breaks, and until when', async () => {
  const next = await addNext(300_000)
  const answer = await post('/rotate', { force: true })
  assert.equal(answer.status, 200)
  const { kid, warning } = keyOf(answer)
  assert.equal(kid, next)
  assert.equal(
    warning,
    `The key ${next} signs before it was published for 360 s. Until 2026-11-21T09:31:00.000Z a verifier that keeps the key set ` +
      `for 300 s, as it may, can refuse its tokens. Introspection knows them at once.`,
  )
})

test('retiring the current key is a rotation, retiring the next one takes it from the key set', async () => {
  const former = await currentKid()
  assert.equal((await post(`/${former}/retire`)).status, 202)
  const next = await addNext()
  assert.deepEqual([(await post(`/${next}/retire`)).status, await publishedKids()], [200, [former]])
  const other = await addNext()
  const retired = await post(`/${former}/retire`, { note: 'old' })
  assert.equal(retired.status, 200)
  assert.deepEqual([keyOf(retired).state, keyOf(retired).current_kid], ['retained', other])
})

test('a compromise ends every token of the key from its answer on, and another key signs at once', async () => {
  const bad = await currentKid()
  const next = await addNext()
  const token = await issue(service, agent)
  const answer = await post(`/${bad}/compromise`, { note: 'found in a backup' })
  assert.equal(answer.status, 200)
  const { state, current_kid, warning } = keyOf(answer)
  assert.deepEqual([state, current_kid, warning], ['compromised', next, null])
  const { key } = await service.createApiKey('tokens:introspect')
  assert.deepEqual((await introspect(service, key, token)).json, { active: false })
  assert.deepEqual(await publishedKids(), [next])
  const fresh = await issue(service, agent)
  assert.equal(kidOf(fresh), next)
  assert.equal(((await introspect(service, key, fresh)).json as { active: boolean }).active, true)
  const history = await get(service, '/api/v1/tokens/history?termination_reason=key_compromise&limit=1', headers)
  const [ended] = (history.json as { data: readonly Record<string, unknown>[] }).data
  assert.deepEqual([ended?.['kid'], ended?.['note']], [bad, 'found in a backup'])
  const again = await post(`/${bad}/compromise`)
  assert.deepEqual([again.status, keyOf(again).current_kid], [200, next])
})

test('a compromise without a next key makes one that signs at once, and warns', async () => {
  const bad = await currentKid()
  const { current_kid, warning } = keyOf(await post(`/${bad}/compromise`))
  assert.notEqual(current_kid, bad)
  assert.match(warning ?? '', /^The key \S+ signs before it was published for 360 s\. Until 2026-11-21T09:36:00.000Z/)
  assert.equal(kidOf(await issue(service, agent)), current_kid)
})

const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

test('a body too long for an imported key is 413, for every caller', async () => {
  const body = { private_key: 'a'.repeat(importSigningKey.bodyBytesMax) }
  for (const caller of [headers, {}]) {
    const answer = await call(service, { method: 'POST', path: `${KEYS}/import`, body }, caller)
    assertProblem(answer, 413, 'request_too_large', 'The body is larger than this service takes.')
  }
})

test('an imported key is published under its own kid, signs when it is made current, and verifies', async () => {
  const jwk = { ...ec().export({ format: 'jwk' }), kid: 'arn:aws:kms:eu-west-1:1:key/2' }
  const answer = await post('/import', { private_key: jwk, note: 'from the old service' })
  assert.equal(answer.status, 201)
  const { kid, state } = keyOf(answer)
  assert.deepEqual([kid, state], [jwk.kid, 'next'])
  const path = `${KEYS}/${encodeURIComponent(jwk.kid)}`
  assert.equal(answer.headers['location'], service.baseUrl + path)
  assert.equal((await get(service, path, headers)).status, 200)
  await post('/rotate', { force: true })
  assert.equal(kidOf(await issue(service, agent)), jwk.kid)
  const secret = String(jwk.d)
  const stored = JSON.stringify([content(), readRows(service.storeFile, 'select * from audit')])
  for (const text of [answer.text, service.log(), stored]) assert.ok(!text.includes(secret))
})

test('a PEM key takes the kid that the caller gives, of every length that a kid may have', async () => {
  const pem = ec().export({ format: 'pem', type: 'pkcs8' })
  const kid = '%'.repeat(128)
  const answer = await post('/import', { private_key: pem, kid })
  assert.deepEqual([answer.status, keyOf(answer).kid], [201, kid])
  assert.equal((await get(service, `${KEYS}/${encodeURIComponent(kid)}`, headers)).status, 200)
  const twice = await post('/import', { private_key: pem, kid: 'another' })
  assertProblem(twice, 409, 'already_exists', 'This key, or another of its kid, is or was here already.')
})

test('a key that cannot be taken is 400, and nothing of it is repeated or logged', async () => {
  const former = content()
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const pem = ec().export({ format: 'pem', type: 'pkcs8' })
  const bodies: readonly (readonly [unknown, RegExp])[] = [
    [{}, /"private_key is neither PEM nor a JWK\."/],
    [{ private_key: 7 }, /"private_key is neither PEM nor a JWK\."/],
    [{ private_key: 'CANARY-7' }, /"private_key is none that can be read: send PKCS#8 in PEM/],
    [{ private_key: { kty: 'EC', d: 'CANARY-7' } }, /"private_key is none that can be read/],
    [{ private_key: weak.export({ format: 'pem', type: 'pkcs8' }) }, /"private_key is not an EC key on P-256/],
    [{ private_key: pem, kid: 'a b' }, /"kid is not 1 to 128 printable ASCII characters without spaces\."/],
    [{ private_key: pem, note: ' ' }, /"note is not/],
    [{ private_key: pem, 'CANARY-7': 1 }, /"The body has a member that this operation does not know\."/],
  ]
  for (const [body, wanted] of bodies) {
    const answer = await post('/import', body)
    assert.equal(answer.status, 400)
    assert.match(answer.text, wanted)
    assert.ok(!answer.text.includes('CANARY-7') && !service.log().includes('CANARY-7'))
  }
  assert.deepEqual(content(), former)
})

test('a kid that nothing has is 404, whatever is in it', async () => {
  for (const kid of ['nobody', 'a%20b', '%C3%BC', 'x'.repeat(128)]) {
    const known = /^[\w-]+$/.test(kid)
    const text = known ? `No signing key has the kid ${kid}.` : 'No signing key has this kid.'
    assertProblem(await get(service, `${KEYS}/${kid}`, headers), 404, 'not_found', text)
    assertProblem(await post(`/${kid}/retire`), 404, 'not_found', text)
    assertProblem(await post(`/${kid}/compromise`), 404, 'not_found', text)
  }
})

test('a repeated Idempotency-Key rotates once', async () => {
  await addNext()
  const once = { ...headers, 'idempotency-key': 'rotate-1' }
  const rotate = { method: 'POST', path: `${KEYS}/rotate`, body: { force: true } }
  assert.equal((await call(service, rotate, once)).status, 200)
  const state = content()
  assert.equal((await call(service, rotate, once)).status, 409)
  assert.deepEqual(content(), state)
})
