// What is the same for every caller: one body, its entity tag, and 304 for who has it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeVersionedBody } from '../../../src/http/wire/constant-body.ts'
import { get, send } from '../../../../testkit/callers/requests.ts'
import { startServer, type TestServer } from '../../../../testkit/services/test-server.ts'

const PATHS = [
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/json',
  '/docs/yaml',
  '/docs/static/swagger-ui.css',
  '/docs/static/index.css',
  '/docs/static/swagger-ui-bundle.js',
  '/docs/static/swagger-ui-standalone-preset.js',
  '/docs/static/swagger-initializer.js',
  '/docs/static/theme/favicon.svg',
  '/',
  '/errors',
  '/favicon.svg',
  '/favicon.ico',
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'application/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  yaml: 'application/yaml; charset=utf-8',
  docs: 'text/html; charset=utf-8',
  errors: 'text/html; charset=utf-8',
}

/** Under a path in the base URL the page's own addresses have it too. */
const services: TestServer[] = []

before(async () => {
  services.push(await startServer(), await startServer({ path: '/tenant' }))
})

after(() => Promise.all(services.map(service => service.close())))

const fetchAll = (service: TestServer) =>
  Promise.all(PATHS.map(async path => ({ path, answer: await get(service, path) })))

test('each has a length, a media type and a strong entity tag of its own bytes', async () => {
  for (const service of services) {
    const tags = new Map<string, string>()
    for (const { path, answer } of await fetchAll(service)) {
      assert.equal(answer.status, 200, path)
      const { etag = '', 'content-length': length, 'content-type': type } = answer.headers
      assert.match(etag, /^"[0-9a-f]{32}"$/, path)
      if (!path.endsWith('.ico')) assert.equal(Number(length), Buffer.byteLength(answer.text), path)
      const ending = path.replace(/\/$/, '').split(/[./]/).at(-1) ?? ''
      assert.equal(type, TYPES[ending] ?? 'application/json; charset=utf-8', path)
      // The tag says which bytes they are.
      assert.equal(tags.get(etag) ?? answer.text, answer.text, path)
      tags.set(etag, answer.text)
    }
    assert.equal(tags.size, PATHS.length - 2, 'Only /openapi.json and /docs/json are the same, and the two icons.')
  }
})

test('304 without a body where If-None-Match names it, and whole where it names another', async () => {
  for (const service of services) {
    for (const { path, answer } of await fetchAll(service)) {
      const { etag = '', 'cache-control': cacheControl } = answer.headers
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(service, path, { 'if-none-match': known })
        assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', etag], path)
        assert.equal(again.headers['cache-control'], cacheControl, path)
      }
      assert.equal((await get(service, path, { 'if-none-match': '"other"' })).text, answer.text, path)
    }
  }
})

test('HEAD has the headers of GET and no body', async () => {
  for (const service of services) {
    for (const { path, answer } of await fetchAll(service)) {
      const head = await send(service, { method: 'HEAD', path })
      const named = ({ headers }: typeof head) =>
        ['etag', 'content-length', 'content-type', 'cache-control', 'content-security-policy'].map(
          name => headers[name],
        )
      assert.deepEqual([head.status, head.text, named(head)], [200, '', named(answer)], path)
    }
  }
})

test('the same bytes at a path in another spelling, and with a query string', async () => {
  const [service] = services
  assert.ok(service !== undefined)
  const plain = await get(service, '/docs/static/index.css')
  for (const path of ['/docs/static/%69ndex.css', '/docs/static/index.css?v=1']) {
    assert.equal((await get(service, path)).text, plain.text, path)
  }
})

test('a body is written once for each version, and its bytes are the same buffer', () => {
  const written: string[] = []
  const versioned = makeVersionedBody(text => text.padEnd(32, '.'))
  const ask = (version: string) =>
    versioned(version, () => {
      written.push(version)
      return `body ${version}`
    })
  const [first, again, other, back] = [ask('1'), ask('1'), ask('2'), ask('1')]
  assert.equal(first, again)
  assert.deepEqual([other.bytes.toString(), back.bytes.toString()], ['body 2', 'body 1'])
  assert.deepEqual(written, ['1', '2', '1'])
})
