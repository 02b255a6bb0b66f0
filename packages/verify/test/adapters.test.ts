// The adapters in the frameworks that they are for: what passes, what is refused and how, and the metadata (RFC 9728).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { makeProof, makeProofKey } from '../../../testkit/keys/dpop.ts'
import type { Guard } from '../src/adapters/guard.ts'
import { type NodeRequest, verifyNodeRequest } from '../src/adapters/node-request.ts'
import { usePublisher, verifierOf } from './fixtures.ts'
import { ath, proofOf, thumbprint } from './proofs.ts'
import { AGENT, AUDIENCE, type Publisher } from './publisher.ts'
import { type Build, EXPOSED, FRAMEWORKS, listenOn, MEMBERS, RETURNED } from './servers/frameworks.ts'
import { ask, statusOf } from './servers/gateway.ts'

const METADATA = '/.well-known/oauth-protected-resource/v1'
const METADATA_ADDRESS = `https://api.example${METADATA}`

const serve = (t: TestContext, listener: Awaited<ReturnType<Build>>): Promise<string> =>
  listenOn(
    t,
    createServer((request, response) => void listener(request, response)),
  )

type Response_ = { readonly status: number; readonly body: unknown; readonly headers: Headers }

const get = async (address: string, headers: Record<string, string> = {}): Promise<Response_> => {
  const response = await fetch(address, { headers })
  const body: unknown = await response.json()
  return { status: response.status, body, headers: response.headers }
}

const INVALID_TOKEN = {
  error: 'invalid_token',
  error_description: 'The access token is not valid here.',
}

type Open = (t: TestContext) => Promise<string>

const tryAccess = (publisher: Publisher, open: Open): void => {
  test('a good token passes, and its claims reach the handler', async t => {
    const { token } = publisher.mint()
    const { status, body } = await get(`${await open(t)}/v1/read`, { authorization: `Bearer ${token}` })
    assert.deepEqual([status, body], [200, { sub: AGENT }])
  })

  test('without a token it is 401, with a challenge that names the metadata and the scope, and no error', async t => {
    const { status, headers, body } = await get(`${await open(t)}/v1/read?x=1`)
    assert.equal(status, 401)
    assert.equal(headers.get('www-authenticate'), `Bearer scope="db:read", resource_metadata="${METADATA_ADDRESS}"`)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(body, { error: 'invalid_token', error_description: 'The request needs an access token.' })
  })

  test('with a bad token it is 401 invalid_token', async t => {
    const { token } = publisher.mint({ aud: 'https://other.example' })
    const { status, headers, body } = await get(`${await open(t)}/v1/read`, { authorization: `bearer ${token}` })
    assert.deepEqual([status, body], [401, INVALID_TOKEN])
    assert.equal(
      headers.get('www-authenticate'),
      `Bearer error="invalid_token", error_description="The access token is not valid here.", resource_metadata="${METADATA_ADDRESS}"`,
    )
  })

  test('without the scope it is 403 insufficient_scope, which names what is needed', async t => {
    const { token } = publisher.mint()
    const { status, headers } = await get(`${await open(t)}/v1/admin`, { authorization: `Bearer ${token}` })
    assert.equal(status, 403)
    assert.equal(
      headers.get('www-authenticate'),
      `Bearer error="insufficient_scope", error_description="The access token does not cover the scope of this request.", scope="db:admin", resource_metadata="${METADATA_ADDRESS}"`,
    )
  })

  test('a malformed header is 400 invalid_request', async t => {
    const { status } = await get(`${await open(t)}/v1/read`, { authorization: 'Bearer a b' })
    assert.equal(status, 400)
  })

  test('a second line Authorization is 400 invalid_request, whatever it says', async t => {
    const origin = await open(t)
    const line = ['Authorization', `Bearer ${publisher.mint().token}`]
    for (const second of [line, ['authorization', 'Basic eDp5'], ['AUTHORIZATION', '']]) {
      const { status, body } = await ask(origin, '/v1/read', { headers: [...line, ...second] })
      assert.equal(status, 400, second.join(': '))
      assert.equal((JSON.parse(body) as { readonly error: string }).error, 'invalid_request')
    }
  })
}

/** What pages of other origins may read of it. */
const tryOtherOrigins = (name: string, open: Open): void => {
  test('a page of another origin reads the challenge, beside what the application exposes', async t => {
    const { status, headers } = await get(`${await open(t)}/v1/read`)
    assert.equal(status, 401)
    const ofApplication = ['a fetch handler', 'a server of Node'].includes(name) ? [] : [EXPOSED]
    assert.equal(headers.get('access-control-expose-headers'), [...ofApplication, 'WWW-Authenticate'].join(', '))
  })

  test('the metadata responds to HEAD, and to the preflight of a client in a browser', async t => {
    const address = `${await open(t)}${METADATA}`
    const head = await fetch(address, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('access-control-allow-origin'), await head.text()], [200, '*', ''])
    const asked = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
    const preflight = await fetch(address, { method: 'OPTIONS', headers: asked })
    assert.deepEqual([preflight.status, await preflight.text()], [204, ''])
    const names = ['allow', ...['origin', 'methods', 'headers'].map(last => `access-control-allow-${last}`)]
    assert.deepEqual(
      names.map(header => preflight.headers.get(header)),
      ['GET, HEAD, OPTIONS', '*', 'GET, HEAD', '*'],
    )
  })
}

const tryFaults = (publisher: Publisher, build: Build, open: Open): void => {
  test('what cannot be checked is 503 with Retry-After, and no challenge', async t => {
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    verifier.close()
    const address = await serve(t, await build(verifier))
    const { status, headers } = await get(`${address}/v1/read`, { authorization: `Bearer ${publisher.mint().token}` })
    assert.deepEqual([status, headers.get('retry-after'), headers.get('www-authenticate')], [503, '1', null])
  })

  test('where the function scopes returns no list of scope items it is 500, and no token passes', async t => {
    const origin = await open(t)
    const headers = ['Authorization', `Bearer ${publisher.mint().token}`]
    for (const [query, { status }] of Object.entries(RETURNED)) {
      assert.equal(await statusOf(ask(origin, `/v1/any?${query}`, { headers })), status, query)
    }
  })

  test('a handler without the guard finds no token, and does not pass', async t => {
    const { token } = publisher.mint()
    const response = await fetch(`${await open(t)}/v1/open`, { headers: { authorization: `Bearer ${token}` } })
    // A fetch handler has no route without a guard.
    assert.ok([500, 403].includes(response.status), String(response.status))
  })
}

const tryProofsAndMetadata = (publisher: Publisher, open: Open): void => {
  test('a token that is bound to a key passes with a proof for this address, and for no other', async t => {
    const key = makeProofKey()
    const { token } = publisher.mint({ cnf: { jkt: await thumbprint(key) } })
    const claims = { htm: 'GET', iat: Math.floor(Date.now() / 1000), ath: ath(token) }
    const proofFor = (htu: string): string => makeProof(key, { claims: { ...claims, htu, jti: crypto.randomUUID() } })
    const address = `${await open(t)}/v1/read`
    const present = (htu: string): Promise<Response_> =>
      get(address, { authorization: `DPoP ${token}`, dpop: proofFor(htu) })
    // The origin of the audience, whatever the header Host says.
    assert.equal((await present('https://api.example/v1/read')).status, 200)
    const { status, headers } = await present(address)
    assert.equal(status, 401)
    assert.match(
      headers.get('www-authenticate') ?? '',
      /^DPoP error="invalid_dpop_proof", .*algs="ES256 Ed25519 EdDSA RS256 PS256"$/,
    )
  })

  test('the metadata stands where RFC 9728 puts it', async t => {
    const { status, body, headers } = await get(`${await open(t)}${METADATA}`)
    assert.equal(status, 200)
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.deepEqual(body, {
      resource: AUDIENCE,
      authorization_servers: [publisher.issuer],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA', 'RS256', 'PS256'],
      ...MEMBERS,
    })
  })
}

for (const [name, build] of Object.entries(FRAMEWORKS)) {
  suite(name, () => {
    const publisher = usePublisher()
    const open: Open = async t => serve(t, await build(verifierOf(t, publisher, { mode: 'offline' })))
    tryAccess(publisher, open)
    tryFaults(publisher, build, open)
    tryProofsAndMetadata(publisher, open)
    tryOtherOrigins(name, open)
  })
}

type Bound = { readonly url: string; readonly guard?: Guard<object>; readonly more?: Partial<NodeRequest> }

/** Returns what gives the status for a token that is bound to a key, with a proof for a path. */
const openBound = async (t: TestContext, publisher: Publisher) => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const key = makeProofKey()
  const { token } = publisher.mint({ cnf: { jkt: await thumbprint(key) } })
  return async (path: string, { url, guard = {}, more = {} }: Bound): Promise<number> => {
    const proof = proofOf(key, token, { claims: { htu: `https://api.example${path}` } })
    const headers = { authorization: `DPoP ${token}`, dpop: proof }
    const result = await verifyNodeRequest(verifier, { url, headers, ...more }, guard)
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
