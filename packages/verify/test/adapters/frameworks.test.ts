// The adapters in the frameworks that they are for: what passes, what is refused and how, and the metadata (RFC 9728).
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { suite, test, type TestContext } from 'node:test'
import { makeProof, makeProofKey } from '../../../../testkit/keys/dpop.ts'
import { usePublisher, verifierOf } from '../fixtures.ts'
import { ath, thumbprint } from '../proofs.ts'
import { AGENT, AUDIENCE, type Publisher } from '../../../../testkit/feed/reference-publisher.ts'
import { type Build, EXPOSED, FRAMEWORKS, listenOn, MEMBERS, RETURNED } from '../servers/frameworks.ts'
import { ask, statusOf } from '../servers/ask.ts'

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
