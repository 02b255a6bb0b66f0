// Headers of which there must be one: Node keeps the first of two in silence, so they are counted before.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendBytes } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

suite('repeated headers', () => {
  let service: TestServer
  before(async () => {
    service = await startServer()
  })
  after(() => service.close())

  const ask = (...headers: readonly string[]): Promise<string> =>
    sendBytes(service, ['GET /api/v1/tokens HTTP/1.1', 'Connection: close', ...headers, '', ''].join('\r\n'))

  for (const name of ['Authorization', 'X-API-Key', 'Host']) {
    test(`${name} given twice: 400 invalid_request`, async () => {
      const host = name === 'Host' ? [] : ['Host: localhost']
      const answer = await ask(...host, `${name}: a`, `${name}: b`)
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /"error":"invalid_request"/)
    })
  }

  test('X-Request-Id that looks like a secret of ours is not taken up', async () => {
    const secret = 'mmc_0123456789'
    const answer = await ask('Host: localhost', `X-Request-Id: ${secret}`)
    assert.ok(!answer.includes(secret) && !service.log().includes(secret))
  })
})
