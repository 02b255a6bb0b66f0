// Faults beside a middleware, and what happens while it waits: it neither lets a request pass nor ends the process.
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
import * as forExpress from '../../src/adapters/express.ts'
import * as forFastify from '../../src/adapters/fastify.ts'
import type { Guard } from '../../src/adapters/guard.ts'
import { requireMcpToken } from '../../src/adapters/mcp.ts'
import type { Verifier } from '../../src/verifier.ts'
import { usePublisher, verifierOf } from '../fixtures.ts'
import { listenOn } from '../servers/frameworks.ts'
import { ask, statusOf } from '../servers/ask.ts'

const publisher = usePublisher()

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

suite('faults beside the verifier', () => {
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

test('a fault that cannot be printed ends no process', async t => {
  const verifier = verifierOf(t, publisher, { mode: 'offline' })
  const guard = forExpress.requireToken(verifier, { scopes: () => assert.fail('closed') })
  const printed: unknown[] = []
  const print = (said: unknown): void => {
    if (typeof said === 'object') throw new Error('It cannot be printed.')
    printed.push(said)
  }
  const listener: RequestListener = (request, response) => {
    t.mock.method(console, 'error', print)
    guard(request, response, () => void response.end('handled'))
  }
  assert.equal(await serve(t, listener), 500)
  assert.deepEqual(printed, ['A fault that cannot be printed.'])
})

/** What a program may throw by mistake, with which a framework would run the next handler. */
const NO_ERRORS = [undefined, null, false, 0, '', 'route', 'router']

suite('a fault that is no error', () => {
  for (const fault of NO_ERRORS) {
    const fail = (): never => {
      // oxlint-disable-next-line typescript/only-throw-error -- what a program may do by mistake.
      throw fault
    }
    const reject = (): Promise<never> => Promise.reject(fault)

    test(`of the guard runs no handler: ${JSON.stringify(fault)}`, async t => {
      const verifier = verifierOf(t, publisher, { mode: 'offline' })
      for (const guard of [{ scopes: fail }, { scopes: reject }, { certificate: fail }, { certificate: reject }]) {
        for (const make of [forExpress.requireToken, requireMcpToken]) {
          const middleware = make(verifier, guard)
          const app = express().set('env', 'test')
          app.get('/', middleware, (_request, response) => void response.end('handled'))
          assert.equal(await serve(t, (request, response) => void app(request, response)), 500)
          const end = (response: ServerResponse) => passing(response, () => void response.end('handled'))
          assert.equal(await serve(t, (request, response) => middleware(request, response, end(response))), 500)
        }
      }
    })

    test(`of the next handler runs it no second time: ${JSON.stringify(fault)}`, async t => {
      const middleware = forExpress.requireToken(verifierOf(t, publisher, { mode: 'offline' }))
      let handled = 0
      const handle = (): never => {
        handled += 1
        return fail()
      }
      assert.equal(await serve(t, (request, response) => middleware(request, response, passing(response, handle))), 500)
      assert.equal(handled, 1)
    })
  }
})
