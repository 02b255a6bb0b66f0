// Redirects of requests with a token: followed within its origin with a proof for each address, and without a token beyond.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose'
import { checkProof } from '../../../testkit/keys/check-proof.ts'
import { makeTokenSource, type TokenSource, type TokenSourceOptions } from '../src/tokens/token-source.ts'
import { goodToken, json, type LyingServer, type Received, startLyingServer } from './lying-server.ts'
import { makeWorld } from './manual-world.ts'

let issuer: LyingServer
let resource: LyingServer
let other: LyingServer

before(async () => {
  issuer = await startLyingServer(goodToken())
  resource = await startLyingServer(json(200, {}))
  other = await startLyingServer(json(200, {}))
})
after(async () => {
  for (const server of [issuer, resource, other]) await server.close()
})
beforeEach(() => {
  issuer.answerWith(goodToken({ token_type: 'DPoP' }))
  other.answerWith(json(200, {}))
})

const makeSource = (options: Partial<TokenSourceOptions> = {}): TokenSource => {
  const given = { tokenEndpoint: `${issuer.url}/token`, clientId: 'reports', clientSecret: 'mmc_secret', dpop: true }
  return makeTokenSource({ ...given, ...options }, makeWorld(Date.now())) // checkProof reads the clock of the machine
}

/** Answers the path /old with a redirect, and every other with 200. */
const redirectOld = (status: number, location: string): void =>
  resource.answerWith((received, response) =>
    json(received.path === '/old' ? status : 200, {}, received.path === '/old' ? { location } : {})(received, response),
  )

const sentTo = async (server: LyingServer, work: () => Promise<unknown>): Promise<readonly Received[]> => {
  const earlier = server.received.length
  await work()
  return server.received.slice(earlier)
}

test('a redirect within the origin is followed with a proof for the address that it leads to', async () => {
  redirectOld(302, '/new?page=2')
  const source = makeSource()
  const asked = await sentTo(resource, async () => {
    assert.equal((await source.fetch(`${resource.url}/old`)).status, 200)
  })
  assert.deepEqual(
    asked.map(({ path }) => path),
    ['/old', '/new?page=2'],
  )
  const { value: token } = await source.getToken()
  for (const [n, { headers }] of asked.entries()) {
    const proof = headers['dpop'] ?? ''
    const jkt = await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {})
    const address = `${resource.url}${['/old', '/new'][n]}`
    await checkProof({ token, jkt, proof, method: 'GET', address })
    assert.equal(headers['authorization'], `DPoP ${token}`)
  }
})

test('what is repeated after a redirect is what the Fetch standard repeats', async () => {
  for (const [status, method, expected] of [
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [302, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
  ] as const) {
    redirectOld(status, '/new')
    const init = { method, body: 'text', headers: { 'content-type': 'text/plain', 'x-own': 'kept' } }
    const asked = await sentTo(resource, () => makeSource().fetch(`${resource.url}/old`, init))
    const [, { method: repeated, body, headers } = assert.fail()] = asked
    const [text, type] = expected === 'GET' ? ['', undefined] : ['text', 'text/plain']
    assert.deepEqual([repeated, body, headers['content-type'], headers['x-own']], [expected, text, type, 'kept'])
  }
})

test('a body that is there once is not repeated for a redirect: only a 303 leads on', async () => {
  const send = () => {
    const init = { method: 'POST', body: new Blob(['stream']).stream(), duplex: 'half' } as const
    return makeSource().fetch(`${resource.url}/old`, init)
  }
  for (const status of [301, 302, 307, 308]) {
    redirectOld(status, '/new')
    const asked = await sentTo(resource, () =>
      assert.rejects(send(), {
        name: 'TypeError',
        message: `A redirect to ${resource.url} is not followed: its body cannot be sent again.`,
      }),
    )
    assert.equal(asked.length, 1)
  }
  redirectOld(303, '/new')
  assert.deepEqual(
    (await sentTo(resource, send)).map(({ method }) => method),
    ['POST', 'GET'],
  )
})

test('beyond its origin neither token nor proof is sent, and a 401 from there costs no token', async () => {
  redirectOld(302, `${other.url}/away`)
  for (const dpop of [true, false]) {
    issuer.answerWith(goodToken({ token_type: dpop ? 'DPoP' : 'Bearer' }))
    other.answerWith(json(401, {}))
    const source = makeSource({ dpop })
    const { value: token } = await source.getToken()
    const headers = { cookie: 'session=1', authorization: 'Basic b3RoZXI=', 'x-own': 'kept' }
    const tokens = await sentTo(issuer, async () => {
      const asked = await sentTo(other, async () => {
        assert.equal((await source.fetch(`${resource.url}/old`, { headers })).status, 401)
      })
      const names = ['authorization', 'dpop', 'cookie', 'x-own']
      const sent = asked.map(one => names.map(name => one.headers[name]))
      assert.deepEqual(sent, [[undefined, undefined, undefined, 'kept']])
      assert.equal((await source.getToken()).value, token)
    })
    assert.equal(tokens.length, 0)
  }
})

test('a token that was left behind at another origin does not come back with a redirect from there', async () => {
  redirectOld(302, `${other.url}/away`)
  other.answerWith(json(302, {}, { location: `${resource.url}/back` }))
  const asked = await sentTo(resource, () => makeSource().fetch(`${resource.url}/old`))
  assert.deepEqual(
    asked.map(({ path, headers }) => [path, 'authorization' in headers, 'dpop' in headers]),
    [
      ['/old', true, true],
      ['/back', false, false],
    ],
  )
})

test('a nonce that is demanded after a redirect repeats the request there, and not the one before it', async () => {
  resource.answerWith((received, response) => {
    if (received.path === '/old') return json(303, {}, { location: '/new' })(received, response)
    const demand = { 'dpop-nonce': 'nonce-1', 'www-authenticate': 'DPoP error="use_dpop_nonce"' }
    const isGood = decodeJwt(received.headers['dpop'] ?? '')['nonce'] === 'nonce-1'
    return json(isGood ? 200 : 401, {}, isGood ? {} : demand)(received, response)
  })
  const asked = await sentTo(resource, async () => {
    assert.equal((await makeSource().fetch(`${resource.url}/old`, { method: 'POST', body: 'x' })).status, 200)
  })
  assert.deepEqual(
    asked.map(({ method, path }) => `${method} ${path}`),
    ['POST /old', 'GET /new', 'GET /new'],
  )
})

test('five redirects are followed, and a sixth is not', async () => {
  const answer = (redirects: number): void =>
    resource.answerWith((received, response) => {
      const n = Number(received.path.slice(1))
      return json(n < redirects ? 302 : 200, {}, n < redirects ? { location: `/${n + 1}` } : {})(received, response)
    })
  answer(5)
  assert.equal((await makeSource().fetch(`${resource.url}/0`)).status, 200)
  answer(6)
  const message = 'A redirect is not followed: there were 5 before it.'
  await assert.rejects(makeSource().fetch(`${resource.url}/0`), { name: 'TypeError', message })
})

/** A resource server that is elsewhere, as the fetch of the caller reaches it. */
const sourceOf = (answer: () => Response, called: string[] = []): TokenSource =>
  makeSource({
    fetch: async (input, init) => {
      const { url } = new Request(input)
      if (url.startsWith(issuer.url)) return fetch(input, init)
      called.push(url)
      return answer()
    },
  })

test('a redirect from https to http, with a password, or to what is no address of the web, is not followed', async () => {
  for (const [location, message] of [
    ['http://orders.example/new', 'A redirect to http://orders.example is not followed: it leaves https.'],
    ['data:text/plain,x', 'A redirect is not followed: it leads to no address of https.'],
    ['https://', 'A redirect is not followed: it leads to no address of https.'],
    [
      'https://user:pass@orders.example/new',
      'A redirect to https://orders.example is not followed: its address holds a user name or a password.',
    ],
  ] as const) {
    const called: string[] = []
    const source = sourceOf(() => new Response(null, { status: 302, headers: { location } }), called)
    await assert.rejects(source.fetch('https://orders.example/old'), { name: 'TypeError', message })
    assert.deepEqual(called, ['https://orders.example/old'])
  }
})

test('a caller that wants to see redirects, or none, has its way', async () => {
  redirectOld(302, '/new')
  const asked = await sentTo(resource, async () => {
    const seen = await makeSource().fetch(`${resource.url}/old`, { redirect: 'manual' })
    assert.deepEqual([seen.status, seen.headers.get('location')], [302, '/new'])
    assert.equal((await makeSource().fetch(new Request(`${resource.url}/old`, { redirect: 'manual' }))).status, 302)
    await assert.rejects(makeSource().fetch(`${resource.url}/old`, { redirect: 'error' }), TypeError)
  })
  assert.equal(asked.length, 3)
})

test('where a runtime shows no redirect it is an error that says so, and not an empty answer', async () => {
  const opaque = { type: 'opaqueredirect', status: 0, headers: new Headers(), body: null, redirected: false, url: '' }
  await assert.rejects(sourceOf(() => opaque as Response).fetch('https://orders.example/old'), {
    name: 'TypeError',
    message:
      "A redirect is not followed: this runtime does not show where it leads. Request that address itself, or set redirect: 'manual'.",
  })
})
