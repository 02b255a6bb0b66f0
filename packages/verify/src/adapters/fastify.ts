// A hook and a plugin for Fastify.
import type { Verified, Verifier } from '../verifier.ts'
import { type Guard, type MetadataMembers, takeGuard } from './guard.ts'
import { type NodeRequest, verifyNodeRequest } from './node-request.ts'
import {
  EXPOSE,
  headersOf,
  makeMetadata,
  makeVerifiedRequests,
  METADATA_METHODS,
  type MetadataMethod,
} from './protected-resource.ts'

export type FastifyReplyLike = {
  readonly code: (status: number) => unknown
  readonly getHeader?: (name: string) => unknown
  readonly headers: (headers: Record<string, string>) => unknown
  readonly send: (body?: unknown) => unknown
  readonly sent?: boolean
  readonly hijack?: () => unknown
  readonly raw?: { readonly headersSent?: boolean; readonly destroyed?: boolean }
}

type MetadataRoute = {
  method: MetadataMethod[]
  url: string
  handler: (request: { readonly method: string }, reply: FastifyReplyLike) => Promise<unknown>
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

/** Whether something else has responded, as by a deadline of its own, or the caller is gone. */
const isOver = ({ sent, raw }: FastifyReplyLike): boolean =>
  sent === true || raw?.headersSent === true || raw?.destroyed === true

/**
 * Makes a hook for `onRequest` or `preHandler`: the handler runs only with a verified token. A fault, such as a function `scopes`
 * that returns no list, is thrown to Fastify's error handler. Throws `TypeError` for a guard that is not as it should be.
 */
export const requireToken: RequireToken = <Request extends NodeRequest>(
  verifier: Verifier,
  ...guard: readonly [guard?: Guard<Request>]
): Hook<Request> => {
  const taken = takeGuard<Guard<Request>>('requireToken', { verifier, guard })
  return async (request: Request, reply: FastifyReplyLike): Promise<unknown> => {
    const result = await verifyNodeRequest(verifier, request, taken)
    if (isOver(reply)) {
      // Fastify knows only of what it sent itself: without this it would run the handler.
      if (reply.sent !== true) reply.hijack?.()
      return reply
    }
    if (result.ok) {
      requests.note(request, result)
      return undefined
    }
    reply.code(result.status)
    reply.headers({ ...headersOf(result, reply.getHeader?.(EXPOSE)) })
    reply.send(result.body)
    return reply
  }
}

/** The verified token of a request. Throws where {@link requireToken} did not see it. */
export const tokenOf = (request: object): Verified => requests.of(request)

/** A plugin that serves the metadata of the protected resource (RFC 9728 §3) and responds to its preflights. */
export const protectedResource = (verifier: Verifier, ...members: readonly [members?: MetadataMembers]) => {
  const { path, respond } = makeMetadata('protectedResource', verifier, ...members)
  return async (instance: FastifyLike): Promise<void> => {
    if (path === undefined) return
    instance.route({
      method: [...METADATA_METHODS],
      url: path,
      handler: async ({ method }, reply) => {
        const { status, headers, body } = respond(method) ?? { status: 404, headers: {} }
        reply.code(status)
        reply.headers({ ...headers })
        return body
      },
    })
  }
}
