// The target of a request (RFC 9112 §3.2): a path, or a whole URI of which the path counts; nothing else reaches a route.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendBytes } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

suite('request targets', () => {
  let service: TestServer
  before(async () => {
    service = await startServer()
  })
  after(() => service.close())

  const ask = (method: string, target: string): Promise<string> =>
    sendBytes(service, `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)

  for (const target of ['http://localhost/api/v1/tokens', 'HTTP://other.example:81/api/v1/tokens', '/api/v1/tokens']) {
    test(`${target} is the list of tokens`, async () => {
      const answer = await ask('GET', target)
      assert.match(answer, /^HTTP\/1\.1 401 /)
      assert.match(answer, /content-type: application\/problem\+json/i)
    })
  }

  test('a URI without a path is the front page', async () => {
    for (const target of ['http://localhost', 'http://localhost?a=b']) {
      assert.match(await ask('GET', target), /^HTTP\/1\.1 200 /)
    }
  })

  for (const [method, target] of [
    ['GET', '*api/v1/tokens'],
    ['GET', '*'],
    ['OPTIONS', '*'],
    ['GET', 'ftp://localhost/api/v1/tokens'],
    ['GET', 'mailto:a@b.example'],
  ] as const) {
    test(`${method} ${target} is 400 in one form, and the connection ends`, async () => {
      const answer = await ask(method, target)
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /content-type: application\/json; charset=utf-8/i)
      assert.match(answer, /"error":"invalid_request"/)
    })
  }
})
