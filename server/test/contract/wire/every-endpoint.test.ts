// What holds for every endpoint: paths, request ids, hosts, and requests that are hardly HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertError,
  assertPlainHeaders,
  assertProblem,
  get,
  send,
  sendBytes,
} from '../../../../testkit/callers/requests.ts'
import { startServer } from '../../../../testkit/services/test-server.ts'
import { useService } from '../../../../testkit/services/service-fixture.ts'

const NOT_HTTP = 'The request is not HTTP that this service can read.'

const service = useService()

const assertBroken = (answer: string, description: string): void => {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/)
  assert.match(head, /\r\ncache-control: no-store(?:\r\n|$)/i)
  assert.match(head, /\r\nx-request-id: [0-9a-f-]{36}(?:\r\n|$)/i)
  assert.deepEqual(JSON.parse(body), { error: 'invalid_request', error_description: description })
}

test('unknown path: 404', async () => {
  for (const path of ['/oauth', '/oauth/token/', '/OAUTH/token', '/oauth/introspect', '/wp-login.php', '//']) {
    assertError(await get(service, path), 404, 'not_found', 'There is nothing at this path.')
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'QUERY']) {
    const headers = { 'content-type': 'nonsense' }
    const answer = await send(service, { method, path: '/api/v1/nothing', headers, body: 'x'.repeat(20_000) })
    assertProblem(answer, 404, 'not_found', 'There is nothing at this path.')
  }
})

test('a file that the page cannot have: 404', async () => {
  for (const name of ['nope', 'x'.repeat(5000), '%00', '..%2f..%2fpackage.json', '.hidden']) {
    const answer = await get(service, `/docs/static/${name}`)
    assertError(answer, 404, 'not_found', 'There is nothing at this path.')
  }
})

test('HEAD as GET', async () => {
  for (const path of ['/livez', '/readyz', '/openapi.json', '/docs', '/errors', '/.well-known/openid-configuration']) {
    const [head, whole] = [await send(service, { method: 'HEAD', path }), await get(service, path)]
    assert.deepEqual([head.status, head.text], [200, ''], path)
    assert.equal(head.headers['content-length'], whole.headers['content-length'])
  }
})

test('X-Request-Id in and out; one that could forge a log line is replaced', async () => {
  const answer = async (id: string) => (await get(service, '/livez', { 'x-request-id': id })).headers['x-request-id']
  for (const id of ['a', 'A-z_0.9', 'x'.repeat(64)]) assert.equal(await answer(id), id)
  for (const id of ['', 'x'.repeat(65), 'a b', 'a"b', 'a/b', 'ü'])
    assert.match((await answer(id)) ?? '', /^[0-9a-f-]{36}$/)
  const [one, two] = [await get(service, '/livez'), await get(service, '/livez')]
  assert.notEqual(one.headers['x-request-id'], two.headers['x-request-id'])
})

test('Cache-Control: no-store on every answer but the key set and the metadata', async () => {
  for (const path of [
    '/livez',
    '/readyz',
    '/openapi.json',
    '/docs',
    '/docs/static/swagger-ui.css',
    '/oauth/authorize',
  ]) {
    assertPlainHeaders(await get(service, path))
  }
})

test('a URL that is not percent-encoded UTF-8: 400', async () => {
  for (const path of ['/%zz', '/oauth/%ff', '/%']) {
    assertError(await get(service, path), 400, 'invalid_request', 'The path of the URL is not percent-encoded UTF-8.')
  }
})

test('a request may name the whole URL', async () => {
  assert.equal((await get(service, `@${service.origin}/livez`)).status, 200)
  const answer = await send(service, { method: 'PUT', path: `@${service.origin}/oauth/token` })
  assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST'])
})

/** The whole answer to a request line, but for its date. */
const reported = async (method: string, target: string): Promise<string> => {
  const { host } = new URL(service.baseUrl)
  const head = `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: same\r\nContent-Length: 0\r\n`
  return (await sendBytes(service, `${head}Connection: close\r\n\r\n`)).replace(/\r\nDate: [^\r]*/i, '')
}

test('a path in another spelling (a whole URL, or percent-encoded): a field in the query string is refused', async () => {
  const { origin } = service
  const query = await reported('POST', '/oauth/token?scope=db:write')
  assert.match(query, /^HTTP\/1\.1 400 /)
  assert.match(query, /\r\npragma: no-cache\r\n/i)
  assert.match(query, /scope is in the query string: send it in the body\./)
  for (const target of [`${origin}/oauth/token`, '/oauth/%74oken', '/%6Fauth/token', `${origin}/oauth/%74oken`]) {
    assert.equal(await reported('POST', `${target}?scope=db:write`), query, target)
  }
})

test('a path in another spelling: below /api an error is a problem', async () => {
  const { origin } = service
  const problem = await reported('GET', '/api/v1/tokens')
  assert.match(problem, /^HTTP\/1\.1 401 /)
  assert.match(problem, /\r\ncontent-type: application\/problem\+json\r\n/i)
  for (const target of [`${origin}/api/v1/tokens`, '/%61pi/v1/tokens', `${origin}/%61pi/v1/tokens`]) {
    assert.equal(await reported('GET', target), problem, target)
  }
})

test('a path in another spelling: another method is 405 with Allow', async () => {
  const { origin } = service
  const method = await reported('GET', '/oauth/token')
  assert.match(method, /^HTTP\/1\.1 405 /)
  assert.match(method, /\r\nallow: POST\r\n/i)
  assert.match(method, /\r\npragma: no-cache\r\n/i)
  for (const target of [`${origin}/oauth/token`, '/oauth/%74oken', `${origin}/oauth/%74oken`]) {
    assert.equal(await reported('GET', target), method, target)
  }
})

test('an encoded slash is no slash: such a path is 404 for every method, as any other that is not there', async () => {
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
    for (const [target, other] of [
      ['/oauth%2Ftoken', '/nothing'],
      ['/oauth%2ftoken?scope=db:write', '/nothing'],
      ['/%6Fauth%2Ftoken', '/nothing'],
      [`${service.origin}/oauth%2Ftoken`, '/nothing'],
      ['/.well-known%2Fjwks.json', '/nothing'],
      ['/api/v1%2Fagents', '/api/v1/nothing'],
      ['/api/v1/agents%2Fnobody%2Fdisable', '/api/v1/nothing'],
      ['/api/v1%2Fagents/nobody/disable', '/api/v1/nothing'],
    ] as const) {
      const answer = await reported(method, target)
      assert.match(answer, /^HTTP\/1\.1 404 /, `${method} ${target}`)
      assert.equal(answer, await reported(method, other), `${method} ${target}`)
    }
  }
})

test('an encoded slash in an id is a part of the id: of its path another method is 405 with those that are', async () => {
  const answer = await reported('POST', '/api/v1/agents/a%2Fb')
  assert.match(answer, /^HTTP\/1\.1 405 /)
  assert.match(answer, /\r\nallow: DELETE, GET, HEAD, PATCH\r\n/i)
})

test('what is not HTTP is answered 400 in the shape of every error', async () => {
  const requests = [
    'nonsense\r\n\r\n',
    'FOO /livez HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /livez HTTP/9.9\r\nHost: x\r\n\r\n',
    'GET /livez HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n',
    'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
  ]
  for (const request of requests) assertBroken(await sendBytes(service, request), NOT_HTTP)
})

test('a request without Host: 400', async () => {
  const answer = await sendBytes(service, 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n')
  assertBroken(answer, 'The request has no Host header.')
})

test('an expectation that is not known is passed over', async () => {
  const request = `GET /livez HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\nConnection: close\r\n\r\n`
  assert.match(await sendBytes(service, request), /^HTTP\/1\.1 200 OK\r\n/)
})

test('a fault is 500 server_error without detail, and one line in the log with the request id', async () => {
  const published = (): Promise<never> => Promise.reject(new Error('the detail'))
  const broken = await startServer({
    break: ports => ({ ...ports, signingKeys: { ...ports.signingKeys, published } }),
  })
  try {
    const answer = await get(broken, '/.well-known/jwks.json', { 'x-request-id': 'fault-to-find' })
    assertError(answer, 500, 'server_error', 'The service failed. Its log has the reason.')
    const lines = broken.log().trim().split('\n')
    assert.equal(lines.length, 1)
    const { level, requestId, err, msg } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
    assert.deepEqual({ level, requestId, msg }, { level: 50, requestId: 'fault-to-find', msg: 'fault' })
    assert.match((err as { stack: string }).stack, /the detail/)
  } finally {
    await broken.close()
  }
})

test('a request under way is answered while the server closes', async () => {
  const [arrived, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const check = async (): Promise<null> => {
    arrived.resolve()
    await go.promise
    return null
  }
  const closing = await startServer({ break: ports => ({ ...ports, health: { ...ports.health, check } }) })
  const answer = get(closing, '/readyz')
  await arrived.promise
  const closed = closing.close()
  go.resolve()
  assert.equal((await answer).status, 200)
  await closed
})

test('another Host than the allowed ones: 421 (DNS rebinding)', async () => {
  const other = await startServer({ server: { allowedHosts: ['127.0.0.1:80', 'localhost:80'] } })
  try {
    for (const host of ['127.0.0.1:80', 'LOCALHOST:80']) {
      assert.equal((await get(other, '/livez', { host })).status, 200)
    }
    for (const host of ['evil.example:80', 'localhost', '', new URL(other.baseUrl).host]) {
      const description = 'This service answers to 127.0.0.1:80, localhost:80 only.'
      assertError(await get(other, '/livez', { host }), 421, 'misdirected_request', description)
    }
  } finally {
    await other.close()
  }
})
