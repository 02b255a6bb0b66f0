// GET / and the icon: what somebody meets who opens the base URL in a browser, or asks for it with curl.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { get, send } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

/** With the path of the base URL. */
const services: { readonly service: TestServer; readonly base: string }[] = []

before(async () => {
  services.push({ service: await startServer(), base: '' })
  services.push({ service: await startServer({ path: '/tenant' }), base: '/tenant' })
})

after(() => Promise.all(services.map(({ service }) => service.close())))

test('a program that asks for the base URL hears what is where', async () => {
  for (const { service } of services) {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await get(service, '/', headers)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(answer.headers['vary'], 'Accept')
      assert.deepEqual(answer.json, {
        name: 'Mintmark',
        issuer: service.baseUrl,
        documentation: `${service.baseUrl}/docs`,
        openapi: `${service.baseUrl}/openapi.json`,
        metadata: `${service.baseUrl}/.well-known/oauth-authorization-server`,
        keys: `${service.baseUrl}/.well-known/jwks.json`,
        errors: `${service.baseUrl}/errors`,
        health: `${service.baseUrl}/readyz`,
      })
      for (const address of Object.values(answer.json as Record<string, string>).slice(2)) {
        assert.equal((await get(service, `@${new URL(address).pathname}`)).status, 200, address)
      }
    }
  }
})

test('a browser that opens the base URL gets a page whose links lead somewhere, and which loads nothing from elsewhere', async () => {
  for (const { service, base } of services) {
    const page = await get(service, '/', { accept: BROWSER })
    assert.equal(page.status, 200)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(page.headers['content-security-policy'] ?? '', /^default-src 'none'; /)
    assert.equal(page.headers['x-content-type-options'], 'nosniff')
    assert.ok(page.text.includes('<title>Mintmark</title>'))
    assert.ok(page.text.includes(service.baseUrl))
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
    assert.ok(links.length > 5)
    for (const link of links) {
      assert.ok(link.startsWith(`${base}/`), link)
      assert.equal((await get(service, `@${link}`)).status, 200, link)
    }
  }
})

test('the base URL is answered without a slash at its end too', async () => {
  for (const { service, base } of services) {
    if (base === '') continue
    assert.deepEqual((await get(service, '')).json, (await get(service, '/')).json)
  }
})

test('an icon in both forms, which caches may keep; browsers look for favicon.ico at the root of the host', async () => {
  for (const { service } of services) {
    for (const path of ['@/favicon.ico', '/favicon.ico']) {
      const icon = await get(service, path)
      assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/x-icon'])
      assert.equal(icon.headers['cache-control'], 'public, max-age=86400')
    }
    const icon = await get(service, '/favicon.svg')
    assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml'])
    assert.equal(icon.headers['cache-control'], 'public, max-age=86400')
    assert.match(icon.text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /)
  }
})

test('another method is 405', async () => {
  for (const { service } of services) {
    for (const path of ['/', '/favicon.ico']) {
      const answer = await send(service, { method: 'POST', path })
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD'])
    }
  }
})
