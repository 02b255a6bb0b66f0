// What a request for no route of ours is answered: 405 where its path has other methods, else 404.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathOf } from './path.ts'
import type { Refuser } from './refusals.ts'

export type UnknownRouteHandler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Call before the routes are registered: it learns of them as they are. */
export const answerUnknownRoutes = (app: FastifyInstance, refuser: Refuser): UnknownRouteHandler => {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsOf.set(url, methods)
  })
  const answer: UnknownRouteHandler = (request, reply) => {
    const methods = methodsOf.get(pathOf(request))
    if (methods === undefined) {
      return refuser.refuse(reply, { code: 'not_found', description: 'There is nothing at this path.' })
    }
    const allow = [...methods].toSorted().join(', ')
    const description = `This path takes ${allow}.`
    return refuser.refuse(reply.header('allow', allow), { code: 'method_not_allowed', description })
  }
  app.setNotFoundHandler(answer)
  return answer
}
