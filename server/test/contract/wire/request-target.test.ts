// The target of a request (RFC 9112 §3.2): a path, or a whole URI of which the path counts; nothing else reaches a route.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { readToEnd, openConnection, statusesIn } from '../../../../testkit/callers/raw-connection.ts'
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
    ['GET', 'http:///livez'],
    ['GET', 'http://user@localhost/livez'],
    ['GET', '/livez#a'],
    ['GET', '/livez?a=b#c'],
  ] as const) {
    test(`${method} ${target} is 400 in one form, and the connection ends`, async () => {
      const answer = await ask(method, target)
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /content-type: application\/json; charset=utf-8/i)
      assert.match(answer, /"error":"invalid_request"/)
    })
  }
})

test('the host of a target that is a whole URI counts, whatever Host says', async t => {
  const service = await startServer({ server: { allowedHosts: ['localhost:80'] } })
  t.after(service.close)
  const statusOf = async (target: string, host: string): Promise<readonly number[]> =>
    statusesIn(await sendBytes(service, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))
  assert.deepEqual(await statusOf('http://LOCALHOST:80/livez', 'evil.example'), [200])
  assert.deepEqual(await statusOf('http://evil.example/livez', 'localhost:80'), [421])
})

test('a request with Upgrade is answered, and that answer says that the connection ends', async t => {
  const service = await startServer()
  t.after(service.close)
  const socket = await openConnection(service)
  const upgrade = 'Connection: Upgrade\r\nUpgrade: h2c\r\n'
  socket.write(`GET /livez HTTP/1.1\r\nHost: a\r\n${upgrade}\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n`)
  const answers = await readToEnd(socket)
  assert.deepEqual(statusesIn(answers), [200])
  assert.match(answers, /\r\nConnection: close\r\n/)
})

test('a transfer coding that is not known is 501, and the connection ends', async t => {
  const service = await startServer()
  t.after(service.close)
  const head = 'POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'
  const chunk = '3\r\na=b\r\n0\r\n\r\n'
  const answer = await sendBytes(service, `${head}Transfer-Encoding: gzip, chunked\r\n\r\n${chunk}`)
  assert.match(answer, /^HTTP\/1\.1 501 [^]*"error":"not_implemented"/)
})

test('a body in chunks by HTTP/1.0, which knows none, is 400, and the connection ends', async t => {
  const service = await startServer()
  t.after(service.close)
  const head = 'POST /oauth/token HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n'
  const next = 'GET /livez HTTP/1.0\r\n\r\n'
  assert.deepEqual(statusesIn(await sendBytes(service, `${head}\r\n0\r\n\r\n${next}`)), [400])
})

test('a body in a content coding is 415 and names it', async t => {
  const service = await startServer()
  t.after(service.close)
  for (const [url, type] of [
    ['/api/v1/agents', 'application/json'],
    ['/oauth/token', 'application/x-www-form-urlencoded'],
  ] as const) {
    const ask = (coding: string) =>
      service.inject({
        method: 'POST',
        url,
        headers: { 'content-type': type, 'content-encoding': coding },
        payload: 'a',
      })
    const answer = await ask('gzip')
    assert.equal(answer.statusCode, 415)
    assert.equal(answer.headers['accept-encoding'], 'identity')
    const { error, error_description: description } = answer.json<Record<string, unknown>>()
    assert.deepEqual(
      [error, description],
      ['unsupported_media_type', 'The body has the content coding gzip: send it without.'],
    )
    assert.notEqual((await ask('identity')).statusCode, 415)
  }
})
