// The cookie of the console as a credential of the API: for the requests of its own page, and only where there is no other.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bearer, send } from '../../../../testkit/callers/requests.ts'
import { OWN_PAGE, signIn } from '../../../../testkit/callers/sessions.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

let service: TestServer
let cookie: string

before(async () => {
  service = await startServer()
  cookie = (await signIn(service))['cookie'] ?? ''
})
after(() => service.close())

const JSON_BODY = { 'content-type': 'application/json' }

type Page = Readonly<Record<string, string>>

/** What a read, an act, and the routes of the session answer to a page with the cookie. */
const answersTo = async (page: Page): Promise<readonly number[]> => {
  const headers = { cookie, ...page }
  const body = JSON.stringify({ name: crypto.randomUUID(), scope: 'db:read' })
  const answers = [
    await send(service, { path: '/api/v1/tokens', headers }),
    await send(service, { method: 'HEAD', path: '/api/v1/tokens', headers }),
    await send(service, { method: 'POST', path: '/api/v1/agents', headers: { ...headers, ...JSON_BODY }, body }),
    await send(service, { path: '/console/session', headers }),
  ]
  return answers.map(({ status }) => status)
}

test('the page of the service is served, by Fetch Metadata or by its origin', async () => {
  for (const page of [OWN_PAGE, { origin: service.origin }, { ...OWN_PAGE, origin: service.origin }]) {
    assert.deepEqual(await answersTo(page), [200, 200, 201, 200], JSON.stringify(page))
  }
})

test('no other page is: not of another site, not of this site on another port, not by an address typed in, not without a word', async () => {
  const pages: readonly Page[] = [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': '' },
    { 'sec-fetch-site': 'same-origin, cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: service.origin },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `${service.origin}.evil.example` },
    { origin: service.origin.replace('127.0.0.1', 'localhost') },
    { referer: `${service.origin}/console/` },
  ]
  for (const page of pages) assert.deepEqual(await answersTo(page), [401, 401, 401, 401], JSON.stringify(page))
  const still = await send(service, { path: '/console/session', headers: { cookie, ...OWN_PAGE } })
  assert.equal(still.status, 200)
})

test('a page of another site cannot sign an operator out', async () => {
  const headers = { cookie, 'sec-fetch-site': 'cross-site' }
  assert.equal((await send(service, { method: 'POST', path: '/console/sign-out', headers })).status, 401)
  assert.equal(
    (await send(service, { method: 'GET', path: '/console/sign-out', headers })).headers['content-type'],
    'text/html; charset=utf-8',
  )
  const still = await send(service, { path: '/console/session', headers: { cookie, ...OWN_PAGE } })
  assert.equal(still.status, 200)
})

test('beside an API key or an Authorization header the cookie counts for nothing', async () => {
  const { key } = await service.createApiKey('tokens:read')
  const ask = async (path: string, more: Page): Promise<number> =>
    (await send(service, { path, headers: { cookie, ...OWN_PAGE, ...more } })).status
  assert.equal(await ask('/api/v1/tokens', { 'x-api-key': key }), 200)
  assert.equal(await ask('/api/v1/agents', { 'x-api-key': key }), 403)
  assert.equal(await ask('/api/v1/tokens', { 'x-api-key': 'wrong' }), 401)
  assert.equal(await ask('/api/v1/tokens', { authorization: 'Basic eDp5' }), 401)
  assert.equal(await ask('/api/v1/tokens', { authorization: 'x' }), 401)
  assert.equal(await ask('/api/v1/tokens', bearer('x.y.z')), 401)
  const viewer = bearer(await service.provider.operatorJwt({ role: 'mintmark-viewer' }))
  assert.equal(await ask('/api/v1/sessions', viewer), 403)
})

test('the cookie opens no endpoint beyond the administration', async () => {
  const headers = { cookie, ...OWN_PAGE, 'content-type': 'application/x-www-form-urlencoded' }
  for (const path of ['/oauth/introspect/v2', '/oauth/revoke']) {
    assert.equal((await send(service, { method: 'POST', path, headers, body: 'token=x' })).status, 401, path)
  }
})

test('a cookie that is none of a session, in whatever bytes, is 401, and the right one beside others is found', async () => {
  const [, secret = ''] = cookie.split('=')
  const name = cookie.slice(0, cookie.indexOf('='))
  const wrong = ['', '%00', '%ff', 'x'.repeat(4000), secret.slice(1), `${secret}A`, secret.toLowerCase(), '\u00ff']
  for (const value of wrong) {
    const headers = { cookie: `${name}=${value}`, ...OWN_PAGE }
    assert.equal((await send(service, { path: '/api/v1/tokens', headers })).status, 401, value)
  }
  for (const others of [`mintmark-session=x; ${cookie}`, `a=b; ;;=; ${cookie}; __proto__=1`, `${cookie}; ${name}=x`]) {
    const headers = { cookie: others, ...OWN_PAGE }
    assert.equal((await send(service, { path: '/api/v1/tokens', headers })).status, 200, others)
  }
  for (const others of [`${name.toLowerCase()}=${secret}`, `__Host-mintmark-session=${secret}`, `${name}0=${secret}`]) {
    const headers = { cookie: others, ...OWN_PAGE }
    assert.equal((await send(service, { path: '/api/v1/tokens', headers })).status, 401, others.slice(0, 99))
  }
})

test('more than 8192 characters of cookies are refused with 431, by the page as by the API, where a cookie decides', async () => {
  const filled = (characters: number): string => `${cookie}; a=${'x'.repeat(characters - cookie.length - 4)}`
  const ask = (path: string, characters: number, more: Page = {}) =>
    send(service, { path, headers: { cookie: filled(characters), ...OWN_PAGE, ...more } })
  for (const path of ['/api/v1/tokens', '/console/session']) {
    assert.equal((await ask(path, 8192)).status, 200)
    const { status, json } = await ask(path, 8193)
    const { error, error_description: description } = json as Readonly<Record<string, unknown>>
    assert.deepEqual([status, error], [431, 'header_fields_too_large'])
    assert.equal(
      description,
      'The Cookie header has 8193 characters; this service reads at most 8192. Delete the cookies of this host in the browser, and sign in again.',
    )
  }
  for (const path of ['/console/sign-in', '/console/callback', '/console/events']) {
    assert.equal((await ask(path, 8193)).status, path === '/console/callback' ? 400 : 431, path)
  }
  const { key } = await service.createApiKey('tokens:read')
  assert.equal((await ask('/api/v1/tokens', 8193, { 'x-api-key': key })).status, 200)
})

test('neither the secret of a session nor what the provider gave stands in a log or in an answer of the API', async () => {
  const [, secret = ''] = cookie.split('=')
  const headers = { cookie, ...OWN_PAGE }
  const { text } = await send(service, { path: '/api/v1/sessions', headers })
  for (const said of [text, service.log()]) {
    assert.equal(said.includes(secret), false)
    assert.doesNotMatch(said, /eyJ|refresh_token/)
  }
})
