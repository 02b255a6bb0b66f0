// GET /livez and /readyz.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askToken, assertPlainHeaders, get, introspect, issue } from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'

test('livez: the process runs; readyz: the store reads, and writes durably', async () => {
  const service = await startServer()
  try {
    for (const path of ['/livez', '/readyz']) {
      const answer = await get(service, path)
      assert.deepEqual([answer.status, answer.json], [200, { status: 'ok' }])
      assertPlainHeaders(answer)
    }
  } finally {
    await service.close()
  }
})

test('readyz: 503 with a reason where the store cannot serve; livez stays 200', async () => {
  const check = (): Promise<string> => Promise.resolve('The disk is full.')
  const service = await startServer({ break: ports => ({ ...ports, health: { ...ports.health, check } }) })
  try {
    const answer = await get(service, '/readyz')
    assert.deepEqual([answer.status, answer.json], [503, { status: 'unavailable', reason: 'The disk is full.' }])
    assert.equal(answer.headers['retry-after'], '1')
    assertPlainHeaders(answer)
    assert.equal((await get(service, '/livez')).status, 200)
  } finally {
    await service.close()
  }
})

const HOUR_MS = 3_600_000

test('readyz names a clock that jumped ahead; once it is corrected the service goes on, and what had ended stays ended', async () => {
  const service = await startServer()
  try {
    const agent = await service.createAgent()
    const brief = await service.createAgent({ lifetimeSeconds: 60 })
    const { key } = await service.createApiKey('tokens:introspect')
    const [live, expired] = [await issue(service, agent), await issue(service, brief)]
    service.clock.advance(60_000)
    const isActive = async (token: string) =>
      ((await introspect(service, key, token)).json as { readonly active: boolean }).active
    assert.deepEqual([await isActive(live), await isActive(expired)], [true, false])
    service.clock.stepWall(3 * HOUR_MS)
    const unready = await get(service, '/readyz')
    assert.equal(unready.status, 503)
    assert.match(
      (unready.json as { readonly reason: string }).reason,
      /^The (?:wall clock of this machine|clock of the database) jumped ahead by more than 60 s\. Correct it, and the service goes on by itself; if it is right, restart /,
    )
    assert.equal((await get(service, '/livez')).status, 200)
    assert.deepEqual(
      [(await introspect(service, key, live)).status, (await askToken(service, agent)).status],
      [503, 503],
    )
    service.clock.stepWall(-3 * HOUR_MS)
    assert.equal((await get(service, '/readyz')).status, 200)
    assert.deepEqual([await isActive(live), await isActive(expired)], [true, false])
    assert.ok(await isActive(await issue(service, agent)))
  } finally {
    await service.close()
  }
})

test('small steps ahead of a clock, hours apart, never add up to a jump', async () => {
  const service = await startServer()
  try {
    for (let step = 0; step < 6; step += 1) {
      service.clock.advance(HOUR_MS)
      assert.equal((await get(service, '/readyz')).status, 200)
      service.clock.stepWall(30_000)
      assert.deepEqual((await get(service, '/readyz')).json, { status: 'ok' })
    }
  } finally {
    await service.close()
  }
})
