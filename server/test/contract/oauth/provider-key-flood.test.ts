// A flood of JWTs with key ids that nobody has, over HTTP: the identity provider is asked twice in 30 seconds at most,
// by the clock of the test, and keys that it makes meanwhile are taken. test/keys has the same without HTTP.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { TIMING } from '../../../src/ports/timing.ts'
import { encodeJson } from '../../../../testkit/keys/dpop.ts'
import { type Answer, bearer, postForm } from '../../../../testkit/callers/requests.ts'
import { isThorough } from '../../../../testkit/loads/thorough.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

const FLOOD = isThorough ? 10_000 : 1000
const AT_ONCE = 50
const FLOOD_MILLISECONDS = 30_000
const STEP_MILLISECONDS = (FLOOD_MILLISECONDS * AT_ONCE) / FLOOD

const forgeLike = (jwt: string): (() => string) => {
  const [, payload = ''] = jwt.split('.')
  return () => `${encodeJson({ alg: 'ES256', kid: randomUUID() })}.${payload}.${randomBytes(64).toString('base64url')}`
}

test(`JWTs with random key ids, ${FLOOD} in 30 s: two requests for keys, and a rotation in their midst is honored`, async () => {
  const service = await startServer()
  const { provider, clock } = service
  const revokeAs = (jwt: string): Promise<Answer> => postForm(service, '/oauth/revoke', { token: 'x' }, bearer(jwt))
  const isTaken = async (jwt: string): Promise<boolean> => (await revokeAs(jwt)).status === 200
  try {
    const before = await provider.operatorJwt()
    assert.equal(await isTaken(before), true)
    // The keys were read a while ago, as they mostly were.
    clock.advance(TIMING.keyTwoReadingsMs)
    const [forge, began] = [forgeLike(before), clock.wall()]
    let rotated: { readonly jwt: string; readonly at: number } | undefined
    let honoredAfter: number | undefined
    for (let sent = 0; sent < FLOOD; sent += AT_ONCE) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => revokeAs(forge())))
      assert.ok(answers.every(({ status }) => status === 401))
      if (sent === FLOOD / 2) {
        await provider.rotate()
        rotated = { jwt: await provider.operatorJwt(), at: clock.wall() }
        assert.deepEqual([await isTaken(rotated.jwt), await isTaken(before)], [false, true])
      }
      if (rotated !== undefined && honoredAfter === undefined && (await isTaken(rotated.jwt))) {
        honoredAfter = clock.wall() - rotated.at
      }
      clock.advance(STEP_MILLISECONDS)
    }
    assert.equal(clock.wall() - began, FLOOD_MILLISECONDS)
    assert.deepEqual(provider.fetches, { metadata: 1, jwks: 1 + 2 })
    assert.ok(honoredAfter !== undefined && honoredAfter <= TIMING.keyReadingsApartMs, String(honoredAfter))
    assert.equal(await isTaken(before), false)
  } finally {
    await service.close()
  }
})

test('a rotation right after the first reading is honored at once, and one in a flood that began then within 31 s', async () => {
  const service = await startServer()
  const { provider, clock } = service
  const statusOf = async (jwt: string): Promise<number> =>
    (await postForm(service, '/oauth/revoke', { token: 'x' }, bearer(jwt))).status
  try {
    const first = await provider.operatorJwt()
    assert.equal(await statusOf(first), 200)
    await provider.rotate()
    const second = await provider.operatorJwt()
    clock.advance(1)
    assert.deepEqual([await statusOf(second), await statusOf(first)], [200, 401])
    await provider.rotate()
    const third = await provider.operatorJwt()
    const forge = forgeLike(first)
    for (let passed = 1; passed < TIMING.keyTwoReadingsMs; passed += 1000) {
      assert.deepEqual([await statusOf(forge()), await statusOf(third)], [401, 401])
      clock.advance(1000)
    }
    assert.equal(provider.fetches.jwks, 2)
    assert.deepEqual([await statusOf(third), provider.fetches.jwks], [200, 3])
  } finally {
    await service.close()
  }
})
