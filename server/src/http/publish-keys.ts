// GET /.well-known/jwks.json: the key set (RFC 7517 §5), for caches and for every origin.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { KEY_SET_MAX_AGE_SECONDS } from '../domain/key-life.ts'
import { type KeySet, publishKeys } from '../operations/publish-keys.ts'
import type { Ports } from '../ports.ts'
import { makeNegotiator } from './accept.ts'
import { allowAnyOrigin } from './cross-origin.ts'

const common = {
  kid: z.string().describe('The RFC 7638 thumbprint, or the name under which the key was imported.'),
  use: z.literal('sig'),
}

export const publicJwk = z.discriminatedUnion('alg', [
  z.object({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string(),
    y: z.string(),
    alg: z.literal('ES256'),
    ...common,
  }),
  z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string(), alg: z.literal('RS256'), ...common }),
  z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), alg: z.literal('EdDSA'), ...common }),
  z.object({ kty: z.literal('AKP'), pub: z.string(), alg: z.literal('ML-DSA-65'), ...common }),
])

const keySetAnswer = z.object({
  keys: z.array(publicJwk).describe('The current key, the next one, and those whose tokens may be alive.'),
})

const [JSON_TYPE, KEY_SET_TYPE] = ['application/json', 'application/jwk-set+json'] as const

const content = { [JSON_TYPE]: { schema: keySetAnswer }, [KEY_SET_TYPE]: { schema: keySetAnswer } }

/** 304 where `If-None-Match` names the set. */
export const keySetAnswers = { 200: { content }, 304: z.undefined() }

type Published = { readonly kids: string; readonly body: Buffer; readonly etag: string }

/** No two keys ever have one kid: the same kids are the same set. */
const kidsOf = ({ keys }: KeySet): string => keys.map(key => key.kid).join(' ')

/** RFC 9110 §13.1.2: weak comparison, against a list or `*`. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some(tag => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false

export const makeKeySetHandler = (ports: Ports) => {
  const mediaTypeFor = makeNegotiator(JSON_TYPE, KEY_SET_TYPE)
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
