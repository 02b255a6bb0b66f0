// Targets, origins and lines of headers as a server of Node reads them: which request a proof is for, and whose token it is.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { makeProofKey } from '../../../../testkit/keys/dpop.ts'
import type { Guard } from '../../src/adapters/guard.ts'
import { type NodeRequest, verifyNodeRequest } from '../../src/adapters/node-request.ts'
import { usePublisher, verifierOf } from '../fixtures.ts'
import { proofOf, thumbprint } from '../proofs.ts'
import { AUDIENCE, type Publisher } from '../../../../testkit/feed/reference-publisher.ts'
import { FRAMEWORKS } from '../servers/frameworks.ts'

type Bound = { readonly url: string; readonly guard?: Guard<object>; readonly more?: Partial<NodeRequest> }

type Audience = { readonly audience?: string; readonly origin?: string }

/** Returns what gives the status for a token that is bound to a key, with a proof for a path. */
const openBound = async (
  t: TestContext,
  publisher: Publisher,
  { audience = AUDIENCE, origin = 'https://api.example' }: Audience = {},
) => {
  const verifier = verifierOf(t, publisher, { mode: 'offline', audience })
  const key = makeProofKey()
  const { token } = publisher.mint({ aud: audience, cnf: { jkt: await thumbprint(key) } })
  return async (path: string, { url, guard = {}, more = {} }: Bound): Promise<number> => {
    const proof = proofOf(key, token, { claims: { htu: `${origin}${path}` } })
    const headers = { ...more.headers, authorization: `DPoP ${token}`, dpop: proof }
    const result = await verifyNodeRequest(verifier, { url, ...more, headers }, guard)
    return result.ok ? 200 : result.status
  }
}

suite('targets as a server of Node reads them', () => {
  const publisher = usePublisher()

  test('a proof is for the path as it stands there, and for none behind what looks like a host', async t => {
    const status = await openBound(t, publisher)
    for (const url of ['//admin/v1/read', '//admin:80/v1/read?a#b']) {
      assert.equal(await status('/v1/read', { url }), 401, url)
      assert.equal(await status(`//admin${url.includes(':') ? ':80' : ''}/v1/read`, { url }), 200, url)
    }
    for (const path of ['/v1/read', '//admin/v1/read']) {
      assert.equal(await status(path, { url: '/\\admin/v1/read' }), 401, path)
    }
    for (const url of ['/v1/read', '/v1/read?page=2', 'http://other.example/v1/read', 'HTTPS://[::1]:80/v1/read?/a']) {
      assert.equal(await status('/v1/read', { url }), 200, url)
    }
    assert.equal(await status('/', { url: 'http://other.example' }), 200)
  })

  test('no proof is for a target with dot segments or a backslash, which a URL parser resolves and a router does not', async t => {
    const status = await openBound(t, publisher)
    const paths = ['/admin/../public', '/admin/%2e%2e/public', '/admin/.%2E/public', '/./public', '/%2e/public']
    for (const path of [...paths, '/\\public', '/admin\\..\\public']) {
      for (const url of [path, `${path}?page=2`, `http://other.example${path}`, `HTTPS://other.example:80${path}`]) {
        for (const proven of ['/public', '//public', path]) assert.equal(await status(proven, { url }), 401, url)
      }
    }
  })

  test('no proof is for a target whose path routers read in more than one way', async t => {
    const status = await openBound(t, publisher)
    for (const [url, path] of [
      ['http://other.example?/admin', '/'],
      ['http://x\\admin/v1/read', '/v1/read'],
      ['http://user@other.example/v1/read', '/v1/read'],
      ['ftp://other.example/v1/read', '/v1/read'],
      ['http:/v1/read', '/v1/read'],
      ['v1/read', '/'],
      ['*', '/'],
      ['', '/'],
    ] as const) {
      assert.equal(await status(path, { url }), 401, url)
    }
  })

  test('a prefix that a proxy removed stands before the path that a proof is for', async t => {
    const status = await openBound(t, publisher)
    const guard = { prefix: '/api' }
    for (const url of ['/v1/read?page=2', 'http://other.example/v1/read']) {
      assert.equal(await status('/api/v1/read', { url, guard }), 200, url)
      assert.equal(await status('/v1/read', { url, guard }), 401, url)
    }
  })
})

suite('origins, where the audience is no URL', () => {
  const publisher = usePublisher()
  const [url, encrypted] = ['/v1/read', { encrypted: true }]

  test('a proof is for the host that the request names, and for its scheme', async t => {
    const overHttp = await openBound(t, publisher, { audience: 'orders', origin: 'http://api.example:8080' })
    const overTls = await openBound(t, publisher, { audience: 'orders', origin: 'https://api.example:8080' })
    for (const name of ['host', ':authority']) {
      const headers = { [name]: 'api.example:8080' }
      assert.equal(await overHttp(url, { url, more: { headers } }), 200, name)
      assert.equal(await overTls(url, { url, more: { headers, socket: encrypted } }), 200, name)
      assert.equal(await overHttp(url, { url, more: { headers, socket: encrypted } }), 401, name)
      assert.equal(await overTls(url, { url, more: { headers } }), 401, name)
    }
  })

  test('no proof is for a path that the header Host holds', async t => {
    const status = await openBound(t, publisher, { audience: 'orders', origin: 'http://api.example' })
    for (const host of ['api.example/v1/read?', 'api.example/v1/read#', 'user@api.example', 'api.example\\', '']) {
      for (const path of ['/v1/read', '/v1/admin', '/v1/read/v1/admin']) {
        assert.equal(await status(path, { url: '/v1/admin', more: { headers: { host } } }), 401, host + path)
      }
    }
  })
})

suite('lines of headers as a server of Node reads them', () => {
  const publisher = usePublisher()

  test('a second line of credentials is 400, also where a middleware has added headers or a framework wraps the request', async t => {
    const status = await openBound(t, publisher)
    const lines = (...names: readonly string[]): readonly string[] => names.flatMap(name => [name, 'x'])
    for (const [rawHeaders, expected] of [
      [lines('authorization', 'dpop', 'accept', 'accept'), 200],
      [lines('Authorization', 'DPoP', 'authorization'), 400],
      [lines('dpop', 'authorization', 'DPOP'), 400],
    ] as const) {
      const url = '/v1/read'
      assert.equal(await status(url, { url, more: { rawHeaders } }), expected)
      assert.equal(await status(url, { url, more: { raw: { rawHeaders } } }), expected)
    }
  })

  test('over HTTP/2 a second line Authorization is 400, and a good token passes', async t => {
    const listener = await FRAMEWORKS['a server of Node']?.(verifierOf(t, publisher, { mode: 'offline' }))
    const server = http2.createServer((request, response) => {
      // What they have in common is all that an adapter needs.
      listener?.(request as unknown as IncomingMessage, response as unknown as ServerResponse)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // Without this the client of Node sends no second line.
    const lenient = { settings: {}, strictSingleValueFields: false }
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, lenient)
    t.after(async () => {
      session.close()
      server.close()
      await once(server, 'close')
    })
    const line = ['authorization', `Bearer ${publisher.mint().token}`]
    for (const [lines, expected] of [
      [line, 200],
      [[...line, ...line], 400],
    ] as const) {
      const stream = session.request([':method', 'GET', ':path', '/v1/read', ...lines])
      const [headers] = (await once(stream.resume(), 'response')) as [http2.IncomingHttpHeaders]
      assert.equal(headers[':status'], expected)
    }
  })
})
