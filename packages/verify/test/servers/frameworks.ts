// One API in each framework that there is an adapter for, and in Node's own server.
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { fastify, type FastifyRequest } from 'fastify'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import * as forExpress from '../../src/adapters/express.ts'
import * as forFastify from '../../src/adapters/fastify.ts'
import * as forFetch from '../../src/adapters/fetch.ts'
import * as forHono from '../../src/adapters/hono.ts'
import type { Verifier } from '../../src/verifier.ts'

/** Opens a server until the test ends, and returns its origin. */
export const listenOn = async (t: TestContext, server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Members of the metadata in each of them. */
export const MEMBERS = { resource_name: 'Orders', scopes_supported: ['db:read', 'db:admin'] }

/** What the application exposes to pages of other origins, where it has a middleware for that. */
export const EXPOSED = 'X-Total'

/** What a function `scopes` may return by mistake, and what it may return, each by the query of `/v1/any`. */
export const RETURNED: Readonly<Record<string, { readonly returns: () => unknown; readonly status: 200 | 403 | 500 }>> =
  {
    list: { returns: () => ['db:read'], status: 200 },
    promise: { returns: async () => ['db:read'], status: 200 },
    none: { returns: () => [], status: 200 },
    more: { returns: async () => ['db:read', 'db:admin'], status: 403 },
    undefined: { returns: () => undefined, status: 500 },
    null: { returns: () => null, status: 500 },
    text: { returns: () => 'db:read', status: 500 },
    spaces: { returns: () => ['db:read db:write'], status: 500 },
    empty: { returns: () => [''], status: 500 },
    holes: { returns: () => Array.from({ length: 1 }), status: 500 },
    later: { returns: async () => undefined, status: 500 },
    rejection: { returns: () => Promise.reject(new Error('no scopes')), status: 500 },
    set: { returns: () => new Set(['db:read']), status: 500 },
  }

const scopesBy = (url: string | undefined): readonly string[] =>
  RETURNED[url?.split('?')[1] ?? '']?.returns() as readonly string[]

/**
 * An API with `/v1/read` for `db:read` and `/v1/admin` for `db:admin`: each responds with the `sub` of the token. So does `/v1/any`,
 * for the scopes of {@link RETURNED}.
 */
type Listener = (...request: Parameters<RequestListener>) => unknown

export type Build = (verifier: Verifier) => Listener | Promise<Listener>

const buildExpress: Build = verifier => {
  const app = express().set('env', 'test')
  const router = express.Router()
  app.use((_request, response, next) => {
    response.set('access-control-expose-headers', EXPOSED)
    next()
  })
  app.use(forExpress.protectedResource(verifier, MEMBERS))
  for (const action of ['read', 'admin']) {
    router.get(`/${action}`, forExpress.requireToken(verifier, { scopes: [`db:${action}`] }), (request, response) => {
      response.json({ sub: forExpress.tokenOf(request).claims.sub })
    })
  }
  const byQuery = forExpress.requireToken<express.Request>(verifier, { scopes: ({ url }) => scopesBy(url) })
  router.get('/any', byQuery, (request, response) => {
    response.json({ sub: forExpress.tokenOf(request).claims.sub })
  })
  router.get('/open', (request, response) => {
    response.json({ sub: forExpress.tokenOf(request).claims.sub })
  })
  return app.use('/v1', router)
}

const buildFastify: Build = async verifier => {
  const app = fastify()
  app.addHook('onRequest', async (_request, reply) => void reply.header('access-control-expose-headers', EXPOSED))
  await app.register(forFastify.protectedResource(verifier, MEMBERS))
  // Written among the options, with a guard of each form: that it compiles is a test too.
  app.get('/v1/read', { onRequest: forFastify.requireToken(verifier, { scopes: ['db:read'] }) }, async request => ({
    sub: forFastify.tokenOf(request).claims.sub,
  }))
  const ofRoute = (request: FastifyRequest): readonly string[] => [`db:${request.routeOptions.url?.slice(4)}`]
  app.get('/v1/admin', { preHandler: [forFastify.requireToken(verifier, { scopes: ofRoute })] }, async request => ({
    sub: forFastify.tokenOf(request).claims.sub,
  }))
  const byQuery = forFastify.requireToken(verifier, { scopes: ({ url }) => scopesBy(url) })
  app.get('/v1/any', { onRequest: byQuery }, async request => ({ sub: forFastify.tokenOf(request).claims.sub }))
  app.get('/v1/open', async request => ({ sub: forFastify.tokenOf(request).claims.sub }))
  await app.ready()
  return (request, response) => app.routing(request, response)
}

const buildHono: Build = verifier => {
  const app = new Hono().onError((_fault, context) => context.json({}, 500))
  app.use('/v1/*', cors({ origin: '*', exposeHeaders: [EXPOSED] }))
  app.use(forHono.protectedResource(verifier, MEMBERS))
  for (const action of ['read', 'admin']) {
    const guard = forHono.requireToken(verifier, { scopes: [`db:${action}`] })
    app.get(`/v1/${action}`, guard, context => context.json({ sub: forHono.tokenOf(context).claims.sub }))
  }
  const byQuery = forHono.requireToken(verifier, { scopes: ({ url }) => scopesBy(url) })
  app.get('/v1/any', byQuery, context => context.json({ sub: forHono.tokenOf(context).claims.sub }))
  app.get('/v1/open', context => context.json({ sub: forHono.tokenOf(context).claims.sub }))
  return getRequestListener(app.fetch)
}

const scopes = ({ url }: Request): readonly string[] => {
  const { pathname } = new URL(url)
  return pathname === '/v1/any' ? scopesBy(url) : [`db:${pathname.slice(4)}`]
}

const buildFetch: Build = verifier => {
  const handler = forFetch.protect(
    verifier,
    (_request, { claims }, status: number) => Response.json({ sub: claims.sub }, { status }),
    { scopes, metadata: MEMBERS },
  )
  return getRequestListener(request => handler(request, 200), {
    errorHandler: () => new Response('{}', { status: 500 }),
  })
}

const buildPlain: Build = verifier => {
  const describe = forExpress.protectedResource(verifier, MEMBERS)
  const guard = forExpress.requireToken<IncomingMessage>(verifier, {
    scopes: ({ url = '' }) => (url.startsWith('/v1/any') ? scopesBy(url) : [`db:${url.split('?')[0]?.slice(4)}`]),
  })
  const respond = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return (request, response) =>
    describe(request, response, () =>
      guard(request, response, fault =>
        fault === undefined
          ? respond(response, 200, { sub: forExpress.tokenOf(request).claims.sub })
          : respond(response, 500, {}),
      ),
    )
}

export const FRAMEWORKS: Readonly<Record<string, Build>> = {
  Express: buildExpress,
  Fastify: buildFastify,
  Hono: buildHono,
  'a fetch handler': buildFetch,
  'a server of Node': buildPlain,
}
