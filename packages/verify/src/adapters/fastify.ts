// A hook and a plugin for Fastify.
import type { Verified, Verifier } from '../verifier.ts'
import { type NodeRequest, verifyNodeRequest } from './node-request.ts'
import {
  type Guard,
  headersOf,
  makeVerifiedRequests,
  METADATA_HEADERS,
  type MetadataMembers,
  metadataOf,
  metadataPathOf,
} from './protected-resource.ts'

export type FastifyReplyLike = {
  readonly code: (status: number) => unknown
  readonly headers: (headers: Record<string, string>) => unknown
  readonly send: (body: unknown) => unknown
}

type MetadataRoute = {
  method: 'GET'
  url: string
  handler: (request: unknown, reply: FastifyReplyLike) => Promise<unknown>
}

/** What is needed of an instance. */
export type FastifyLike = { route(options: MetadataRoute): unknown }

const requests = makeVerifiedRequests()

type Hook<Request> = (request: Request, reply: FastifyReplyLike) => Promise<unknown>

/** Two forms: written among a route's options, the first one is taken, since Fastify says too little there to infer a type of requests. */
type RequireToken = {
  (verifier: Verifier, guard?: Guard<NodeRequest>): Hook<NodeRequest>
  <Request extends NodeRequest>(verifier: Verifier, guard: Guard<Request>): Hook<Request>
}

/** Makes a hook for `onRequest` or `preHandler`: the handler runs only with a verified token. */
export const requireToken: RequireToken =
  <Request extends NodeRequest>(verifier: Verifier, guard: Guard<Request> = {}): Hook<Request> =>
  async (request: Request, reply: FastifyReplyLike): Promise<unknown> => {
    const result = await verifyNodeRequest(verifier, request, guard)
    if (result.ok) {
      requests.note(request, result)
      return undefined
    }
    reply.code(result.status)
    reply.headers({ ...headersOf(result) })
    reply.send(result.body)
    return reply
  }

/** The verified token of a request. Throws where {@link requireToken} did not see it. */
export const tokenOf = (request: object): Verified => requests.of(request)

/** A plugin that serves the metadata of the protected resource (RFC 9728 §3). */
export const protectedResource =
  (verifier: Verifier, members?: MetadataMembers) =>
  async (instance: FastifyLike): Promise<void> => {
    const path = metadataPathOf(verifier)
    if (path === undefined) return
    instance.route({
      method: 'GET',
      url: path,
      handler: async (_request, reply) => {
        reply.headers({ ...METADATA_HEADERS })
        return metadataOf(verifier, members)
      },
    })
  }
