// Bodies that are the same for every caller: one buffer, a strong entity tag, and 304 for a caller that has it.
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

/** Gives the same body again for as long as the version is the same; `write` makes that of another. */
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
