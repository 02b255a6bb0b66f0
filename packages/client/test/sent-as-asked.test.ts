// Requests to resource servers are sent as they were asked for, however they were written and whatever becomes of them meanwhile.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { makeTokenSource, type TokenSource, type TokenSourceOptions } from '../src/tokens/token-source.ts'
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
  world = makeWorld(Date.now())
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

test('an init is read wherever its members are, and one that is no object is a TypeError', async () => {
  class Posting {
    get method(): string {
      return 'POST'
    }
  }
  const source = makeSource()
  const { asked, tokens } = await counting(async () => {
    for (const init of [
      new Request(resource.url, { method: 'POST', body: 'x' }),
      Object.create({ method: 'POST' }),
      new Posting(),
      { method: 'POST', [Symbol('note')]: 1 },
    ]) {
      await source.fetch(resource.url, init as RequestInit)
    }
    await assert.rejects(source.fetch(resource.url, 'POST' as never), /^TypeError: fetch: init is not an object/)
    await source.fetch(resource.url, null as never)
  })
  assert.deepEqual(
    asked.map(({ method }) => method),
    ['POST', 'POST', 'POST', 'POST', 'GET'],
  )
  assert.equal(tokens, 1)
})

test('what is sent is what was asked for, whatever becomes of the objects of the caller meanwhile', async () => {
  for (const dpop of [false, true]) {
    issuer.answerWith(goodToken(dpop ? { token_type: 'DPoP' } : {}))
    const source = makeSource({ dpop })
    const { asked } = await counting(async () => {
      const url = new URL('/pay?to=alice', resource.url)
      const init: RequestInit = { method: 'PUT', headers: new Headers({ 'x-note': 'mine' }) }
      const form = new URLSearchParams({ to: 'alice' })
      const bytes = new TextEncoder().encode('alice')
      const sending = [
        source.fetch(url, init),
        source.fetch(url, { method: 'POST', body: form }),
        source.fetch(url, { method: 'POST', body: bytes }),
      ]
      url.searchParams.set('to', 'bob')
      url.pathname = '/elsewhere'
      Object.assign(init, { method: 'DELETE' })
      form.set('to', 'bob')
      bytes.fill(98)
      await Promise.all(sending)
    })
    assert.deepEqual(asked.map(({ method, path, body }) => `${method} ${path} ${body}`).toSorted(), [
      'POST /pay?to=alice alice',
      'POST /pay?to=alice to=alice',
      'PUT /pay?to=alice ',
    ])
  }
})

test('a Request whose init has a body of null keeps its own, which is there once', async () => {
  const source = makeSource()
  resource.answerWith(json(401, {}))
  const put = new Request(resource.url, { method: 'PUT', body: 'kept' })
  const { asked } = await counting(async () => {
    assert.equal((await source.fetch(put, { body: null })).status, 401)
  })
  assert.deepEqual(
    asked.map(({ method, body }) => [method, body]),
    [['PUT', 'kept']],
  )
})

test('objects that are none of the Fetch standard are the text that they have at the call, for the check and for what is sent', async () => {
  const source = makeSource()
  const texts = (...all: readonly string[]) => {
    let reads = 0
    return { url: `${resource.url}/url`, toString: () => all[Math.min(reads++, all.length - 1)] } as never
  }
  const { asked } = await counting(async () => {
    const body: unknown[] = ['alice', 1]
    const bytes: unknown = runInNewContext('Uint8Array.of(97, 108).buffer')
    const sending = [
      source.fetch(texts(`${resource.url}/checked`, 'http://api.example/')),
      source.fetch(runInNewContext('({ toString: () => at })', { at: `${resource.url}/realm` }) as URL),
      source.fetch(`${resource.url}/list`, { method: texts('PUT', 'DELETE'), body: body as never }),
      source.fetch(`${resource.url}/bytes`, { method: 'POST', body: bytes as ArrayBuffer }),
    ]
    body[0] = 'bob'
    new Uint8Array(bytes as ArrayBuffer).fill(98)
    await Promise.all(sending)
    for (const wrong of [Symbol('x'), { toString: () => Symbol('x') }]) {
      await assert.rejects(source.fetch(resource.url, { method: 'POST', body: wrong as never }), TypeError)
    }
    const fake = { [Symbol.toStringTag]: 'ArrayBuffer', toString: () => 'a text' } as never
    await source.fetch(`${resource.url}/fake`, { method: 'POST', body: fake })
  })
  assert.deepEqual(asked.map(({ method, path, body }) => `${method} ${path} ${body}`).toSorted(), [
    'GET /checked ',
    'GET /realm ',
    'POST /bytes al',
    'POST /fake a text',
    'PUT /list alice,1',
  ])
})

const saidOf = ({ method, path, headers }: Received) => [method, path, headers['referer'], headers['cache-control']]

test('a Request is taken at the call, with all that it says, to where a redirect leads too', async () => {
  for (const dpop of [false, true]) {
    issuer.answerWith(goodToken(dpop ? { token_type: 'DPoP' } : {}))
    const source = makeSource({ dpop })
    resource.answerWith((request, response) => {
      if (request.path === '/from') response.writeHead(307, { location: '/to' })
      response.end('{}')
    })
    const request = new Request(`${resource.url}/from`, { referrer: `${resource.url}/page`, cache: 'no-store' })
    // Runtimes differ in what they send for it themselves.
    const { asked: plain } = await counting(() => fetch(request.clone()))
    const { asked } = await counting(async () => {
      await source.fetch(request)
      const post = new Request(`${resource.url}/to`, { method: 'POST', body: 'x' })
      const sending = source.fetch(post)
      assert.equal(post.bodyUsed, true)
      await sending
    })
    assert.deepEqual(asked.map(saidOf), [...plain.map(saidOf), ['POST', '/to', undefined, undefined]])
  }
})

test('what an init of a class has for this runtime alone is passed on', async () => {
  const given: unknown[] = []
  const source = makeSource({
    fetch: async (input, init) => {
      if (init !== undefined && 'dispatcher' in init) given.push(init.dispatcher)
      return input === `${issuer.url}/token` ? fetch(input, init) : Response.json({})
    },
  })
  class Proxied {
    get dispatcher(): string {
      return 'proxy'
    }
  }
  await source.fetch(resource.url, new Proxied() as object)
  assert.deepEqual(given, ['proxy'])
})
