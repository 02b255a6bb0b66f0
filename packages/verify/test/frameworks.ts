// One API in each framework that there is an adapter for.
import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { fastify, type FastifyRequest } from 'fastify'
import { Hono } from 'hono'
import * as forExpress from '../src/adapters/express.ts'
import * as forFastify from '../src/adapters/fastify.ts'
import * as forFetch from '../src/adapters/fetch.ts'
import * as forHono from '../src/adapters/hono.ts'
import type { Verifier } from '../src/verifier.ts'

/** Members of the metadata in each of them. */
export const MEMBERS = { resource_name: 'Orders', scopes_supported: ['db:read', 'db:admin'] }

/** An API with `/v1/read` for `db:read` and `/v1/admin` for `db:admin`: each responds with the `sub` of the token. */
type Listener = (...request: Parameters<RequestListener>) => unknown

export type Build = (verifier: Verifier) => Listener | Promise<Listener>

const buildExpress: Build = verifier => {
  const app = express()
  const router = express.Router()
  app.use(forExpress.protectedResource(verifier, MEMBERS))
  for (const action of ['read', 'admin']) {
    router.get(`/${action}`, forExpress.requireToken(verifier, { scopes: [`db:${action}`] }), (request, response) => {
      response.json({ sub: forExpress.tokenOf(request).claims.sub })
    })
  }
  router.get('/open', (request, response) => {
    response.json({ sub: forExpress.tokenOf(request).claims.sub })
  })
  return app.use('/v1', router)
}

const buildFastify: Build = async verifier => {
  const app = fastify()
  await app.register(forFastify.protectedResource(verifier, MEMBERS))
  // Written among the options, with a guard of each form: that it compiles is a test too.
  app.get('/v1/read', { onRequest: forFastify.requireToken(verifier, { scopes: ['db:read'] }) }, async request => ({
    sub: forFastify.tokenOf(request).claims.sub,
  }))
  const ofRoute = (request: FastifyRequest): readonly string[] => [`db:${request.routeOptions.url?.slice(4)}`]
  app.get('/v1/admin', { preHandler: [forFastify.requireToken(verifier, { scopes: ofRoute })] }, async request => ({
    sub: forFastify.tokenOf(request).claims.sub,
  }))
  app.get('/v1/open', async request => ({ sub: forFastify.tokenOf(request).claims.sub }))
  await app.ready()
  return (request, response) => app.routing(request, response)
}

const buildHono: Build = verifier => {
  const app = new Hono()
  app.use(forHono.protectedResource(verifier, MEMBERS))
  for (const action of ['read', 'admin']) {
    const guard = forHono.requireToken(verifier, { scopes: [`db:${action}`] })
    app.get(`/v1/${action}`, guard, context => context.json({ sub: forHono.tokenOf(context).claims.sub }))
  }
  app.get('/v1/open', context => context.json({ sub: forHono.tokenOf(context).claims.sub }))
  return getRequestListener(app.fetch)
}

const scopes = (request: Request): readonly string[] => [`db:${new URL(request.url).pathname.slice(4)}`]

const buildFetch: Build = verifier => {
  const handler = forFetch.protect(
    verifier,
    (_request, { claims }, status: number) => Response.json({ sub: claims.sub }, { status }),
    { scopes, metadata: MEMBERS },
  )
  return getRequestListener(request => handler(request, 200))
}

export const FRAMEWORKS: Readonly<Record<string, Build>> = {
  Express: buildExpress,
  Fastify: buildFastify,
  Hono: buildHono,
  'a fetch handler': buildFetch,
}
