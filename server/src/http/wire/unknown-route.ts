// What a request for no route of ours is answered: 405 where its path has other methods, else 404.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from './fields.ts'
import type { Refuser } from './refusals.ts'

export type UnknownRouteHandler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

type Route = { readonly segments: readonly string[]; readonly methods: Set<string> }

/** Whether the path is one of the route, whose segments stand for any where they open with a colon. */
const isPathOf = ({ segments }: Route, path: readonly string[]): boolean =>
  segments.length === path.length && segments.every((segment, n) => segment.startsWith(':') || segment === path[n])

/** Call before the routes are registered: it learns of them as they are. */
export const answerUnknownRoutes = (app: FastifyInstance, refuser: Refuser): UnknownRouteHandler => {
  const routes = new Map<string, Route>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.isUnknown === true) return
    const route = routes.get(url) ?? { segments: url.split('/'), methods: new Set() }
    for (const one of [method].flat()) route.methods.add(one)
    routes.set(url, route)
  })
  const answer: UnknownRouteHandler = (request, reply) => {
    const path = pathOf(request).split('/')
    // A path of letters may be one of a parameter too: /keys/rotate is also that of a key of this name.
    const methods = [...routes.values()].filter(one => isPathOf(one, path)).flatMap(one => [...one.methods])
    if (methods.length === 0) {
      return refuser.refuse(reply, { code: 'not_found', description: 'There is nothing at this path.' })
    }
    const allow = [...new Set(methods)].toSorted().join(', ')
    const description = `This path takes ${allow}.`
    return refuser.refuse(reply.header('allow', allow), { code: 'method_not_allowed', description })
  }
  app.setNotFoundHandler(answer)
  return answer
}
