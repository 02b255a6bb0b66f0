// Mistakes in a guard, and what happens beside a middleware while it waits: it neither lets a request pass nor ends the process.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { suite, test, type TestContext } from 'node:test'
import express from 'express'
import { fastify } from 'fastify'
import * as forExpress from '../src/adapters/express.ts'
import * as forFastify from '../src/adapters/fastify.ts'
import * as forFetch from '../src/adapters/fetch.ts'
import type { Guard } from '../src/adapters/guard.ts'
import * as forHono from '../src/adapters/hono.ts'
import { mcpTokenVerifier, requireMcpToken } from '../src/adapters/mcp.ts'
import { verifyNodeRequest } from '../src/adapters/node-request.ts'
import type { Verifier } from '../src/verifier.ts'
import { usePublisher, verifierOf } from './fixtures.ts'
import { listenOn } from './servers/frameworks.ts'
import { ask, statusOf } from './servers/gateway.ts'

const publisher = usePublisher()

/** As a program without types would have them. */
type Loose = (...given: readonly unknown[]) => unknown

const GUARDED: Readonly<Record<string, Loose>> = {
  requireToken: forExpress.requireToken as Loose,
  'requireToken of Fastify': forFastify.requireToken as Loose,
  'requireToken of Hono': forHono.requireToken as Loose,
  requireMcpToken: requireMcpToken as Loose,
  protect: (verifier, guard) => (forFetch.protect as Loose)(verifier, () => new Response(), guard),
}

const WRONG_GUARDS: readonly (readonly [guard: unknown, named: RegExp])[] = [
  [null, /not an object/],
  [['db:read'], /not an object/],
  ['db:read', /not an object/],
  [{ scope: ['db:read'] }, /"scope" is not an option\. Expected any of: scopes, certificate, prefix/],
  [{ scopes: null }, /scopes is not an array of scope items, such as \['db:read'\], or a function/],
  [{ scopes: undefined }, /scopes is undefined/],
  [{ scopes: 'a b' }, /scopes is not/],
  [{ scopes: ['a b'] }, /scopes is not/],
  [{ scopes: [''] }, /scopes is not/],
  [{ scopes: Array.from({ length: 1 }) }, /scopes is not/],
  [{ certificate: 'PEM' }, /certificate is not a function/],
  ...['api', '/api/', '/', '', '/a?b', '/a/../b', '/.', 'https://a.example/b'].map(
    prefix => [{ prefix }, /prefix is not a path such as \/api/] as const,
  ),
]

test('a guard that is not as it should be is a TypeError where the route is written, and names what is wrong', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  for (const [name, require] of Object.entries(GUARDED)) {
    for (const [guard, named] of WRONG_GUARDS) {
      assert.throws(() => require(verifier, guard), { name: 'TypeError', message: named }, `${name} ${String(named)}`)
    }
    assert.throws(() => require({ scopes: [] }, verifier), /first argument is not a verifier/, name)
    assert.throws(() => require(), /first argument is not a verifier/, name)
    require(verifier, { scopes: ['db:read'], certificate: () => undefined, prefix: '/api/v1' })
    require(verifier, { scopes: [] })
  }
  const request = new Request('https://api.example/v1/read')
  await assert.rejects((forFetch.verifyRequest as Loose)(verifier, request, []) as Promise<unknown>, /not an object/)
  assert.throws(() => (mcpTokenVerifier as Loose)(verifier, { InvalidTokenError: Error }), /ServerError is not a class/)
  assert.throws(() => (forFetch.protect as Loose)(verifier, { scopes: [] }), /second argument is not a function/)
})

test('metadata that is not as it should be is a TypeError where it is written', t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  for (const describe of [forExpress, forFastify, forHono].map(one => one.protectedResource as Loose)) {
    for (const members of [null, [], 'Orders', { scopes_supported: 'db:read' }, { resource_name: 7 }]) {
      assert.throws(() => describe(verifier, members), { name: 'TypeError', message: /^protectedResource: metadata: / })
    }
    assert.throws(() => describe({ resource_name: 'Orders' }, verifier), /first argument is not a verifier/)
    // RFC 9728 §2 allows members that this version does not know.
    describe(verifier, { resource_policy_uri: 'https://api.example/policy' })
  }
})

test('where the function certificate returns none in its forms the request does not pass', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const verify = (certificate: () => unknown) =>
    verifyNodeRequest(
      verifier,
      { headers: { authorization: `Bearer ${publisher.mint().token}` } },
      { certificate: certificate as () => undefined },
    )
  for (const given of [null, 7, {}, Promise.resolve(null), []]) {
    await assert.rejects(
      verify(() => given),
      TypeError,
    )
  }
  for (const given of [undefined, '', new Uint8Array(1), Promise.resolve(undefined)]) {
    assert.equal((await verify(() => given)).ok, true)
  }
})

/** An API whose verifier waits for a service that hangs, until `release`; `handled` counts what passes. */
type Hanging = {
  readonly verifier: Verifier
  readonly guard: Guard<object>
  readonly asked: Promise<unknown>
  readonly release: () => void
}

const hang = (t: TestContext): Hanging => {
  const asked = Promise.withResolvers<undefined>()
  const answered = Promise.withResolvers<boolean>()
  const own = publisher.fault
  t.after(() => {
    publisher.fault = own
  })
  publisher.fault = () => {
    asked.resolve(undefined)
    return answered.promise
  }
  const verifier = verifierOf(t, publisher, { mode: 'introspect' })
  return { verifier, guard: { scopes: ['db:read'] }, asked: asked.promise, release: () => answered.resolve(false) }
}

type Api = {
  readonly listener: RequestListener
  /** The response that the middleware would answer. */
  readonly responses: readonly ServerResponse[]
  readonly handled: () => number
}

type Make = (parts: Pick<Hanging, 'verifier' | 'guard'>) => Promise<Api>

const collect = () => {
  const responses: ServerResponse[] = []
  let count = 0
  return {
    responses,
    handled: () => count,
    handle: (): void => {
      count += 1
    },
  }
}

const onExpress =
  (make: typeof forExpress.requireToken): Make =>
  async ({ verifier, guard }) => {
    const { handle, ...seen } = collect()
    const app = express().use((_request, response, next) => {
      seen.responses.push(response)
      next()
    })
    app.get('/', make(verifier, guard), (_request, response) => {
      handle()
      response.end()
    })
    return { ...seen, listener: (request, response) => void app(request, response) }
  }

const onNode: Make = async ({ verifier, guard }) => {
  const { handle, ...seen } = collect()
  const middleware = forExpress.requireToken(verifier, guard)
  const listener: RequestListener = (request, response) => {
    seen.responses.push(response)
    middleware(request, response, () => {
      handle()
      response.end()
    })
  }
  return { ...seen, listener }
}

const onFastify: Make = async ({ verifier, guard }) => {
  const { handle, ...seen } = collect()
  const app = fastify()
  app.addHook('onRequest', async (_request, reply) => void seen.responses.push(reply.raw))
  app.get('/', { onRequest: forFastify.requireToken(verifier, guard) }, async () => {
    handle()
    return ''
  })
  await app.ready()
  return { ...seen, listener: (request, response) => app.routing(request, response) }
}

const APIS: Readonly<Record<string, Make>> = {
  Express: onExpress(forExpress.requireToken),
  MCP: onExpress(requireMcpToken),
  'a server of Node': onNode,
  Fastify: onFastify,
}

const send = (origin: string, token: string): ClientRequest =>
  httpRequest(origin, { headers: { authorization: `Bearer ${token}` } }).end()

/** What happens to a response while the middleware waits. */
const MEANWHILE: Readonly<Record<string, (response: ServerResponse, sent: ClientRequest) => Promise<void>>> = {
  'the application has responded by a deadline of its own': async (response, sent) => {
    response.writeHead(504).end('late')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, 504)
    answer.resume()
    await once(answer, 'end')
  },
  'the application has begun to respond': async (response, sent) => {
    response.writeHead(504).write('late')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.destroy()
    await once(response, 'close')
  },
  'the caller is gone': async (response, sent) => {
    sent.on('error', () => undefined)
    sent.destroy()
    await once(response, 'close')
  },
}

for (const [name, make] of Object.entries(APIS)) {
  suite(name, () => {
    for (const [what, meanwhile] of Object.entries(MEANWHILE)) {
      test(`where ${what} nothing answers again, no handler runs, and the process goes on`, async t => {
        const [accepted, refused] = [publisher.mint(), publisher.mint()]
        publisher.end(refused)
        for (const { token } of [accepted, refused]) {
          const { verifier, guard, asked, release } = hang(t)
          const api = await make({ verifier, guard })
          const origin = await listenOn(t, createServer(api.listener))
          const sent = send(origin, token)
          await asked
          const [response] = api.responses
          assert.ok(response)
          await meanwhile(response, sent)
          publisher.fault = undefined
          release()
          // The service answers this request after the first one.
          const headers = ['Authorization', `Bearer ${publisher.mint().token}`]
          assert.equal(await statusOf(ask(origin, '/', { headers })), 200)
          assert.equal(api.handled(), 1)
        }
      })
    }
  })
}

suite('faults beside the verifier', () => {
  /** What happens to a request with a good token: `passFault` is the error handler. */
  const serve = async (t: TestContext, listener: RequestListener): Promise<number | undefined> => {
    t.mock.method(console, 'error', () => undefined)
    const origin = await listenOn(t, createServer(listener))
    return statusOf(ask(origin, '/', { headers: ['Authorization', `Bearer ${publisher.mint().token}`] }))
  }
  const passing =
    (response: ServerResponse, handle: () => void) =>
    (fault?: unknown): void => {
      if (fault === undefined) return handle()
      response.writeHead(500).end()
    }

  test('where the next handler throws it is 500', async t => {
    const middleware = forExpress.requireToken(verifierOf(t, publisher, { mode: 'offline' }))
    const fail = (): never => assert.fail('a fault of the handler')
    assert.equal(await serve(t, (request, response) => middleware(request, response, passing(response, fail))), 500)
    assert.equal(await serve(t, (request, response) => middleware(request, response, fail)), 500)
    assert.equal(await serve(t, (request, response) => middleware(request, response, async () => fail())), 500)
  })

  test('where the next handler takes no error a fault of the guard is 500, and the handler does not run', async t => {
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    const middleware = forExpress.requireToken(verifier, { scopes: () => undefined as never })
    const listener: RequestListener = (request, response) =>
      middleware(request, response, () => void response.end('handled'))
    assert.equal(await serve(t, listener), 500)
  })

  test('where the request takes no auth, or the response no header, the fault goes to the error handler', async t => {
    const verifier = verifierOf(t, publisher, { mode: 'offline' })
    const mcp = requireMcpToken(verifier)
    const frozen: RequestListener = ({ method = '', headers }, response) =>
      mcp(
        Object.freeze({ method, headers }),
        response,
        passing(response, () => void response.end()),
      )
    assert.equal(await serve(t, frozen), 500)
    const refusing = forExpress.requireToken(verifier, { scopes: ['db:admin'] })
    const stubborn: RequestListener = (request, response) => {
      response.setHeader = () => assert.fail('a fault of the response')
      refusing(
        request,
        response,
        passing(response, () => void response.end()),
      )
    }
    assert.equal(await serve(t, stubborn), 500)
  })
})
