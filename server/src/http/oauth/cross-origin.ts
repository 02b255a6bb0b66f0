// CORS for what is public anyway: the key set and the metadata, for verifiers that run in a browser.
import type { FastifyReply, FastifyRequest } from 'fastify'

const PREFLIGHT_SECONDS = 86_400

export const allowAnyOrigin = (reply: FastifyReply): FastifyReply =>
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'ETag, X-Request-Id')

/** Answers an OPTIONS request. */
export const answerPreflight = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  allowAnyOrigin(reply)
    .code(204)
    .header('allow', 'GET, HEAD, OPTIONS')
    .header('access-control-allow-methods', 'GET, HEAD')
    .header('access-control-allow-headers', '*')
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .send()
