// Requests to resource servers with the token of a source: renewed once after a 401, with proofs, and never in the clear.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose'
import { checkProof } from '../../../testkit/keys/check-proof.ts'
import { makeTokenSource, type TokenSource, type TokenSourceOptions } from '../src/tokens/token-source.ts'
import { TokenUnavailable } from '../src/tokens/token-errors.ts'
import { goodToken, json, type LyingServer, type Received, startLyingServer } from './lying-server.ts'
import { makeWorld, type ManualWorld } from './manual-world.ts'

let issuer: LyingServer
let resource: LyingServer
let world: ManualWorld

before(async () => {
  issuer = await startLyingServer(goodToken())
  resource = await startLyingServer(json(200, {}))
})
after(async () => {
  await issuer.close()
  await resource.close()
})
beforeEach(() => {
  world = makeWorld(Date.now()) // checkProof reads the clock of the machine
  issuer.answerWith(goodToken())
  resource.answerWith(json(200, { done: true }))
})

const makeSource = (options: Partial<TokenSourceOptions> = {}): TokenSource =>
  makeTokenSource(
    { tokenEndpoint: `${issuer.url}/token`, clientId: 'reports', clientSecret: 'mmc_secret', ...options },
    world,
  )

type Counts = { readonly asked: readonly Received[]; readonly tokens: number }

const counting = async (work: () => Promise<unknown>): Promise<Counts> => {
  const [tokens, requests] = [issuer.received.length, resource.received.length]
  await work()
  return { asked: resource.received.slice(requests), tokens: issuer.received.length - tokens }
}

const tokenIn = ({ headers }: Received): string => headers['authorization'] ?? ''

/** Refuses the token that it is sent first, and takes every other. */
const refuseFirst = (): void => {
  let refused: string | undefined
  resource.answerWith((received, response) => {
    refused ??= tokenIn(received)
    return json(tokenIn(received) === refused ? 401 : 200, {})(received, response)
  })
}

test('a request carries the token, and everything else that the caller gave it', async () => {
  const source = makeSource()
  const { asked } = await counting(async () => {
    const answer = await source.fetch(`${resource.url}/orders?page=2`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', authorization: 'Basic b3RoZXI=' },
      body: 'two',
    })
    assert.deepEqual([answer.status, await answer.json()], [200, { done: true }])
  })
  const [{ method, path, body, headers } = assert.fail()] = asked
  assert.deepEqual([method, path, body, headers['content-type']], ['POST', '/orders?page=2', 'two', 'text/plain'])
  assert.equal(headers['authorization'], (await source.getToken()).authorization)
})

test('a Request and a URL are taken as well as a text', async () => {
  const source = makeSource()
  const { asked } = await counting(async () => {
    await source.fetch(new URL('/one', resource.url))
    await source.fetch(new Request(`${resource.url}/two`, { method: 'PUT', body: 'x', headers: { 'x-own': 'kept' } }))
  })
  assert.deepEqual(
    asked.map(({ method, path, body, headers }) => [method, path, body, headers['x-own']]),
    [
      ['GET', '/one', '', undefined],
      ['PUT', '/two', 'x', 'kept'],
    ],
  )
  assert.ok(asked.every(one => tokenIn(one).startsWith('Bearer token.')))
})

test('after a 401 the token is renewed and the request sent once more, with each body that can be', async () => {
  for (const body of [
    undefined,
    'text',
    new URLSearchParams({ a: '1' }),
    new Blob(['blob']),
    new TextEncoder().encode('bytes'),
    new TextEncoder().encode('buffer').buffer,
  ]) {
    refuseFirst()
    const source = makeSource()
    const { asked, tokens } = await counting(async () => {
      const init = body === undefined ? {} : { method: 'POST', body }
      assert.equal((await source.fetch(resource.url, init)).status, 200)
    })
    const [first = assert.fail(), second = assert.fail()] = asked
    assert.deepEqual([asked.length, tokens, first.body === second.body], [2, 2, true])
    assert.notEqual(tokenIn(first), tokenIn(second))
  }
})

test('a body that is there once is not sent again: the 401 is handed on, and the next request has a new token', async () => {
  const stream = () => new Blob(['stream']).stream()
  for (const send of [
    (source: TokenSource) => source.fetch(resource.url, { method: 'POST', body: stream(), duplex: 'half' }),
    (source: TokenSource) => source.fetch(new Request(resource.url, { method: 'POST', body: 'of a request' })),
  ]) {
    refuseFirst()
    const source = makeSource()
    const { asked } = await counting(async () => {
      assert.equal((await send(source)).status, 401)
      assert.equal((await source.fetch(resource.url)).status, 200)
    })
    assert.equal(asked.length, 2)
  }
})

test('a server that refuses every token costs one new token in ten seconds, and its 401 is handed on', async () => {
  resource.answerWith(json(401, { error: 'never' }))
  const source = makeSource()
  const spend = async (): Promise<void> => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => source.fetch(resource.url)))
    assert.ok(answers.every(({ status }) => status === 401))
    await source.fetch(resource.url)
  }
  assert.equal((await counting(spend)).tokens, 2)
  world.pass(9_999)
  assert.equal((await counting(spend)).tokens, 0)
  world.pass(1)
  assert.equal((await counting(spend)).tokens, 1)
})

test('of many requests that are refused at once each succeeds with the one new token', async () => {
  refuseFirst()
  const source = makeSource()
  const { tokens } = await counting(async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => source.fetch(resource.url)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  })
  assert.equal(tokens, 2)
})

test('where no new token can be had after a 401 the caller hears why', async () => {
  resource.answerWith(json(401, {}))
  const source = makeSource()
  await source.getToken()
  issuer.answerWith(json(503, {}))
  await assert.rejects(source.fetch(resource.url), TokenUnavailable)
})

test('a token is not sent over http to another machine, nor to an address that is none', async () => {
  const source = makeSource()
  const { tokens } = await counting(async () => {
    await assert.rejects(source.fetch('http://orders.example/'), {
      name: 'TypeError',
      message:
        'A token is not sent to http://orders.example, which is not of https. Use https, or set allowInsecureRequests.',
    })
    await assert.rejects(source.fetch('/orders'), { message: 'A token is sent to an absolute URL only.' })
  })
  assert.equal(tokens, 0)
})

test('the signal of a request ends the wait for its token too', async () => {
  issuer.answerWith(() => undefined)
  const source = makeSource({ timeoutMs: 1_000 })
  const reason = new Error('enough')
  const controller = new AbortController()
  const sent = source.fetch(resource.url, { signal: controller.signal })
  controller.abort(reason)
  await assert.rejects(sent, reason)
})

const boundToken = () => goodToken({ token_type: 'DPoP' })

test('a bound token goes with a proof for this request, which a resource server verifies', async () => {
  issuer.answerWith(boundToken())
  const source = makeSource({ dpop: true })
  const { asked } = await counting(() => source.fetch(`${resource.url}/orders/7?page=2#part`, { method: 'delete' }))
  const [{ headers } = assert.fail()] = asked
  const { value: token } = await source.getToken()
  assert.equal(headers['authorization'], `DPoP ${token}`)
  const proof = headers['dpop'] ?? ''
  const { jwk = {} } = decodeProtectedHeader(proof)
  assert.equal('d' in jwk, false)
  const jkt = await calculateJwkThumbprint(jwk)
  await checkProof({ token, jkt, proof, method: 'DELETE', address: `${resource.url}/orders/7` })
})

test('a proof names the method as it is sent: fetch writes only some in capitals', async () => {
  issuer.answerWith(boundToken())
  let proof: string | null = null
  const source = makeSource({
    dpop: true,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      if (request.url.startsWith(issuer.url)) return fetch(input, init)
      proof = request.headers.get('dpop')
      return new Response(request.method)
    },
  })
  for (const method of ['get', 'Put', 'patch', 'PATCH']) {
    const sent = await (await source.fetch(`${resource.url}/orders`, { method })).text()
    assert.equal(decodeJwt(proof ?? '')['htm'], sent)
  }
  assert.equal((await source.fetch(`${resource.url}/orders`, null as never)).status, 200)
})

const nonceIn = ({ headers }: Received): unknown => decodeJwt(headers['dpop'] ?? '')['nonce']

/** Demands the nonce that it gave last, and gives another with each answer. */
const demandNonces = (): void => {
  let given = 0
  resource.answerWith((received, response) => {
    const isGood = nonceIn(received) === `nonce-${given}`
    given += 1
    const headers = { 'dpop-nonce': `nonce-${given}` }
    const challenge = { 'www-authenticate': 'DPoP error="use_dpop_nonce", algs="ES256"' }
    return json(isGood ? 200 : 401, {}, isGood ? headers : { ...headers, ...challenge })(received, response)
  })
}

test('a nonce that a resource server demands is sent at once, and the one of each answer with the next request', async () => {
  issuer.answerWith(boundToken())
  demandNonces()
  const source = makeSource({ dpop: true })
  const { asked, tokens } = await counting(async () => {
    assert.equal((await source.fetch(resource.url)).status, 200)
    assert.equal((await source.fetch(resource.url)).status, 200)
  })
  assert.deepEqual([tokens, asked.map(nonceIn)], [1, [undefined, 'nonce-1', 'nonce-2']])
})

test('a nonce is of its server: no other is sent it', async () => {
  issuer.answerWith((received, response) =>
    goodToken({ token_type: 'DPoP' })(received, response.setHeader('dpop-nonce', 'of-the-issuer')),
  )
  const source = makeSource({ dpop: true })
  const { asked } = await counting(() => source.fetch(resource.url))
  assert.deepEqual(asked.map(nonceIn), [undefined])
})

test('a server that demands a new nonce for ever is asked twice a token', async () => {
  issuer.answerWith(boundToken())
  let given = 0
  resource.answerWith((received, response) => {
    given += 1
    const headers = { 'dpop-nonce': `nonce-${given}`, 'www-authenticate': 'DPoP error="use_dpop_nonce"' }
    return json(401, {}, headers)(received, response)
  })
  const { asked, tokens } = await counting(async () => {
    assert.equal((await makeSource({ dpop: true }).fetch(resource.url)).status, 401)
  })
  assert.deepEqual([asked.length, tokens], [4, 2])
})
