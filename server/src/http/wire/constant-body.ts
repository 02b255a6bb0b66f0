// Public documents, whose body is the same for every caller: one buffer, a strong entity tag, 304 for a caller that has it, and
// CORS for verifiers that run in a browser.
import type { FastifyReply, FastifyRequest } from 'fastify'

export type Hash = (text: string) => string

type ConstantBody = { readonly bytes: Buffer; readonly etag: string }

/** `type` is the media type, with its charset if it has one. */
export type Constant = { readonly body: ConstantBody; readonly type: string }

const ETAG_CHARACTERS = 32

/** RFC 9110 §8.8.3: strong, of the bytes. */
export const constantBody = (hash: Hash, content: string | Buffer): ConstantBody => {
  const bytes = Buffer.from(content)
  return { bytes, etag: `"${hash(bytes.toString('latin1')).slice(0, ETAG_CHARACTERS)}"` }
}

/** Returns the same body while the version stays the same; `write` makes that of a new version. */
export const makeVersionedBody = (hash: Hash): ((version: string, write: () => string) => ConstantBody) => {
  let kept: { readonly version: string; readonly body: ConstantBody } | undefined
  return (version, write) => {
    if (kept?.version !== version) kept = { version, body: constantBody(hash, write()) }
    return kept.body
  }
}

/** RFC 9110 §13.1.2: weak comparison, against a list or `*`. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some(tag => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false

/** HEAD is answered from the same body, which Fastify then leaves out. */
export const sendConstant = (request: FastifyRequest, reply: FastifyReply, { body, type }: Constant): FastifyReply => {
  void reply.header('etag', body.etag)
  if (isKnown(request.headers['if-none-match'], body.etag)) return reply.code(304).send()
  return reply.type(type).send(body.bytes)
}

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
