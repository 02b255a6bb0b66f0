// GET /.well-known/jwks.json: the key set (RFC 7517 §5), for caches and for every origin.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { KEY_SET_MAX_AGE_SECONDS } from '../../domain/keys/key-life.ts'
import { type KeySet, publishKeys } from '../../operations/signing-keys/publish-keys.ts'
import type { Ports } from '../../ports/ports.ts'
import { makeNegotiator } from './accept.ts'
import { allowAnyOrigin, makeVersionedBody, sendConstant } from './constant-body.ts'

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

/** No two keys ever have one kid: the same kids are the same set. */
const kidsOf = ({ keys }: KeySet): string => keys.map(key => key.kid).join(' ')

export const makeKeySetHandler = (ports: Ports) => {
  const mediaTypeFor = makeNegotiator(JSON_TYPE, KEY_SET_TYPE)
  const versioned = makeVersionedBody(text => ports.secrets.hash(text))
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const keySet = await publishKeys(ports)
    const body = versioned(kidsOf(keySet), () => JSON.stringify(keySet))
    void allowAnyOrigin(reply)
      .header('cache-control', `public, max-age=${KEY_SET_MAX_AGE_SECONDS}`)
      .header('vary', 'Accept')
    const type = mediaTypeFor(request.headers.accept)
    return sendConstant(request, reply, { body, type: type === KEY_SET_TYPE ? type : `${type}; charset=utf-8` })
  }
}
