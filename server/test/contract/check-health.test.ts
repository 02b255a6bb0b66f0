// GET /livez and /readyz.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertPlainHeaders, get } from '../support/requests.ts'
import { startServer } from '../support/test-server.ts'

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
  const service = await startServer({ break: ports => ({ ...ports, health: { check } }) })
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
