// GET /.well-known/jwks.json: the key set (RFC 7517 §5), for caches and for every origin.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type KeySet, publishKeys } from '../operations/publish-keys.ts'
import type { Ports } from '../ports.ts'
import { makeNegotiator } from './accept.ts'
import { allowAnyOrigin } from './cross-origin.ts'

/** A new key must be published for longer than this before it signs: until then a cache may not have it. */
export const KEY_SET_MAX_AGE_SECONDS = 300

export const keySetAnswer = z.object({
  keys: z.array(
    z.object({
      kty: z.string(),
      crv: z.string(),
      x: z.string(),
      y: z.string(),
      kid: z.string().describe('RFC 7638 thumbprint.'),
      alg: z.string(),
      use: z.literal('sig'),
    }),
  ),
})

type Published = { readonly kids: string; readonly body: Buffer; readonly etag: string }

/** A kid is the thumbprint of its key: the same kids are the same set. */
const kidsOf = ({ keys }: KeySet): string => keys.map(key => key.kid).join(' ')

const KEY_SET_TYPE = 'application/jwk-set+json'

/** RFC 9110 §13.1.2: weak comparison, against a list or `*`. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some(tag => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false

export const makeKeySetHandler = (ports: Ports) => {
  const mediaTypeFor = makeNegotiator('application/json', KEY_SET_TYPE)
  let published: Published | undefined

  const publish = async (): Promise<Published> => {
    const keySet = await publishKeys(ports)
    const kids = kidsOf(keySet)
    if (published?.kids === kids) return published
    const text = JSON.stringify(keySet)
    const etag = `"${ports.secrets.hash(text).slice(0, 32)}"`
    published = { kids, body: Buffer.from(text), etag }
    return published
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, etag } = await publish()
    void allowAnyOrigin(reply)
      .header('cache-control', `public, max-age=${KEY_SET_MAX_AGE_SECONDS}`)
      .header('etag', etag)
      .header('vary', 'Accept')
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const type = mediaTypeFor(request.headers.accept)
    return reply.type(type === KEY_SET_TYPE ? type : `${type}; charset=utf-8`).send(body)
  }
}
