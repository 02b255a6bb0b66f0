// What /check answers: who the caller is, or why not; and that nothing which a caller or a token says gets past it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usePublisher } from '../../verify/test/fixtures.ts'
import { check, openGateway } from './gateway.ts'
import { ask, statusOf } from '../../verify/test/servers/ask.ts'
import { AGENT, AUDIENCE } from '../../../testkit/feed/reference-publisher.ts'

const publisher = usePublisher()
const METADATA = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource/v1"'
const SET = ['x-auth-subject', 'x-auth-client', 'x-auth-scope', 'x-auth-actor'] as const

test('an accepted token is 200 with the four headers, each once, and no body', async t => {
  const { origin } = await openGateway(t, publisher)
  const { token } = publisher.mint({ sub: 'person', act: { sub: 'agent', act: { sub: 'first' } } })
  for (const [method, path] of [
    ['GET', '/check'],
    ['HEAD', '/check'],
    ['POST', '/check/orders/7'],
  ] as const) {
    const { status, headers, names, body } = await ask(origin, path, {
      method,
      headers: ['Authorization', `Bearer ${token}`],
    })
    assert.deepEqual([status, body, headers['cache-control']], [200, '', 'no-store'])
    const seen = SET.map(name => headers[name])
    assert.deepEqual(seen, ['person', AGENT, 'db:read db:write', 'agent'])
    assert.deepEqual(
      names.filter(name => name.startsWith('x-auth-')),
      SET,
    )
  }
})

test('what a token does not say is an empty header, whatever the caller sent', async t => {
  const { origin } = await openGateway(t, publisher)
  const { token } = publisher.mint({ scope: undefined })
  const forged = SET.flatMap(name => [name, 'admin'])
  const { headers } = await check(origin, token, '/check', forged)
  assert.deepEqual(
    SET.map(name => headers[name]),
    [AGENT, AGENT, '', ''],
  )
})

const HOSTILE = [
  'a\r\nX-Auth-Actor: admin',
  'a\n\nbody',
  'a\0b',
  'a, admin',
  'a; admin',
  '"admin"',
  'a%0d%0ab',
  ' admin ',
  'jos\u00e9 \u{1f600}\u202e',
  '\u0085\u2028',
]

test('no text of a token ends a header: it is percent-encoded, and decodes to what it was', async t => {
  const { origin } = await openGateway(t, publisher)
  for (const hostile of HOSTILE) {
    const { token } = publisher.mint({ sub: hostile, client_id: hostile, act: { sub: hostile } })
    const { status, headers, names } = await check(origin, token)
    assert.equal(status, 200)
    assert.equal(names.filter(name => name.startsWith('x-auth-')).length, SET.length)
    for (const name of ['x-auth-subject', 'x-auth-client', 'x-auth-actor']) {
      const value = String(headers[name])
      assert.match(value, /^[\w.~!*'():/@%-]+$/)
      assert.equal(decodeURIComponent(value), hostile)
    }
  }
})

test('half of a surrogate pair, which no header can carry, is 401', async t => {
  const { origin } = await openGateway(t, publisher)
  assert.equal(await statusOf(check(origin, publisher.mint({ sub: 'a\ud800' }).token)), 401)
})

test('a refusal has the challenge of RFC 6750, no body, and none of the headers', async t => {
  const { origin } = await openGateway(t, publisher, ['--scope', 'db:admin'])
  const bad = 'Bearer error="invalid_token", error_description='
  for (const [token, status, challenge] of [
    [undefined, 401, `Bearer scope="db:admin", ${METADATA}`],
    ['x', 401, `${bad}"The access token is not valid here.", ${METADATA}`],
    [publisher.mint({ iat: 1, exp: 2 }).token, 401, `${bad}"The access token has expired.", ${METADATA}`],
    [
      publisher.mint().token,
      403,
      `Bearer error="insufficient_scope", error_description="The access token does not cover the scope of this request.", scope="db:admin", ${METADATA}`,
    ],
  ] as const) {
    const answered = await check(origin, token)
    assert.deepEqual([answered.status, answered.body], [status, ''])
    assert.equal(answered.headers['www-authenticate'], challenge)
    assert.equal(answered.headers['access-control-expose-headers'], 'WWW-Authenticate')
    const names = ['access-control-expose-headers', 'cache-control', 'connection', 'content-length', 'www-authenticate']
    assert.deepEqual(answered.names.toSorted(), names)
  }
})

test('credentials that are not one token in one header are 401 invalid_request', async t => {
  const { origin } = await openGateway(t, publisher)
  const { token } = publisher.mint()
  const line = ['Authorization', `Bearer ${token}`]
  for (const headers of [
    [...line, ...line],
    [...line, 'authorization', 'Basic eDp5'],
    ['Authorization', `Bearer ${token} ${token}`],
    ['Authorization', `Bearer ${token}, Bearer ${token}`],
    ['Authorization', `Bearer ${token}\u00ff`],
    ['Authorization', `Bearer \u00ef\u00bb\u00bf${token}`],
    ['Authorization', 'Bearer'],
    [...line, 'DPoP', 'a', 'DPoP', 'b'],
  ]) {
    const answered = await ask(origin, '/check', { headers })
    assert.equal(answered.status, 401)
    assert.match(String(answered.headers['www-authenticate']), /^Bearer error="invalid_request", /)
  }
  const basic = await ask(origin, '/check', { headers: ['Authorization', 'Basic eDp5'] })
  assert.deepEqual([basic.status, basic.headers['www-authenticate']], [401, `Bearer ${METADATA}`])
  assert.equal(await statusOf(ask(origin, `/check/x?access_token=${token}`)), 500)
})

test('a line that comes again behind two thousand others is found', async t => {
  const { origin } = await openGateway(t, publisher)
  const line = ['Authorization', `Bearer ${publisher.mint().token}`]
  const others = Array.from({ length: 2100 }, (_, n) => [`a${n}`, '']).flat()
  assert.equal(await statusOf(ask(origin, '/check', { headers: [...line, ...others] })), 200)
  assert.equal(await statusOf(ask(origin, '/check', { headers: [...line, ...others, ...line] })), 401)
})

test('the query of /check asks for more than the flags, and never for less', async t => {
  const other = 'https://other.example'
  const { origin, events } = await openGateway(t, publisher, ['--scope', 'db:read', '--audience', other])
  const { token } = publisher.mint()
  const rows: readonly (readonly [query: string, status: number])[] = [
    ['', 200],
    ['scope=db:write', 200],
    ['scope=db:write%20db:read', 200],
    ['scope=db:admin', 403],
    ['scope=db:write&scope=db:admin', 403],
    [`audience=${encodeURIComponent(AUDIENCE)}`, 200],
    [`audience=${encodeURIComponent(other)}`, 401],
    [`audience=${encodeURIComponent(AUDIENCE)}&audience=${encodeURIComponent(other)}`, 500],
    ['audience=https://third.example', 500],
    ['audience=', 500],
    ['scope=', 500],
    ['scope', 500],
    ['scopes=db:read', 500],
    ['scope=db:read&page=2', 500],
    ['scope=db:%22', 500],
  ]
  for (const [query, status] of rows) {
    for (const path of ['/check', '/check/orders']) {
      assert.equal(await statusOf(check(origin, token, `${path}?${query}`)), status, query)
    }
  }
  assert.ok(events.includes('query_refused'))
  // What the flags ask for stays.
  assert.equal(await statusOf(check(origin, publisher.mint({ scope: 'db:write' }).token, '/check?scope=db:write')), 403)
})

test('where the original target follows /check its query is the caller’s: it is not read, and any method is checked', async t => {
  const { origin } = await openGateway(t, publisher, ['--scope', 'db:read', '--request-from', 'path'])
  const { token } = publisher.mint({ scope: 'db:read' })
  for (const query of ['?page=2', '?scope=db:admin', '?audience=x', '?%zz']) {
    const headers = ['Authorization', `Bearer ${token}`]
    assert.equal(await statusOf(ask(origin, `/check/orders${query}`, { method: 'DELETE', headers })), 200)
  }
  assert.equal(await statusOf(check(origin, token, '/check?scope=db:admin')), 403)
  assert.equal(
    await statusOf(check(origin, publisher.mint({ scope: 'db:write' }).token, '/check/a?scope=db:write')),
    403,
  )
})

test('no path that a gateway appends leads away from the check', async t => {
  const { origin } = await openGateway(t, publisher)
  for (const path of ['/check/../metrics', '/check/..%2fmetrics', '/check//metrics', '/check/']) {
    assert.equal(await statusOf(ask(origin, path)), 401, path)
  }
  for (const path of ['/', '/checks', '/check%2f', '/CHECK', '/x/check', 'http://gateway/check', '/metrics/x', '*']) {
    assert.equal(await statusOf(ask(origin, path, path === '*' ? { method: 'OPTIONS' } : {})), 404, path)
  }
})

test('other methods are 405, and a body is not read', async t => {
  const { origin } = await openGateway(t, publisher)
  const { token } = publisher.mint()
  const headers = ['Authorization', `Bearer ${token}`]
  for (const method of ['PUT', 'DELETE', 'TRACE']) {
    assert.equal(await statusOf(ask(origin, '/check', { method, headers })), 405)
  }
  const sent = { method: 'POST', body: 'x'.repeat(10), headers: [...headers, 'Content-Length', '10'] }
  const answered = await ask(origin, '/check', sent)
  assert.deepEqual([answered.status, answered.headers.connection], [200, 'close'])
  const expecting = { ...sent, headers: [...sent.headers, 'Expect', '100-continue'] }
  assert.equal(await statusOf(ask(origin, '/check', expecting)), 200)
})

test('the metadata of the protected resource is where the challenge says, and responds to HEAD and preflights', async t => {
  const { origin } = await openGateway(t, publisher)
  const path = '/.well-known/oauth-protected-resource/v1'
  const { status, body } = await ask(origin, path)
  assert.equal(status, 200)
  assert.equal((JSON.parse(body) as { readonly resource: string }).resource, AUDIENCE)
  const head = await ask(origin, path, { method: 'HEAD' })
  assert.deepEqual([head.status, head.body, head.headers['access-control-allow-origin']], [200, '', '*'])
  const preflight = await ask(origin, path, { method: 'OPTIONS', headers: ['Origin', 'https://page.example'] })
  const { connection: _connection, ...headers } = preflight.headers
  assert.deepEqual([preflight.status, preflight.body], [204, ''])
  assert.deepEqual(headers, {
    'cache-control': 'no-store',
    allow: 'GET, HEAD, OPTIONS',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': '*',
    'access-control-max-age': '86400',
  })
  assert.equal(await statusOf(ask(origin, '/metrics', { method: 'OPTIONS' })), 404)
})
