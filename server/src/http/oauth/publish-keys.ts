// GET /.well-known/jwks.json: the key set (RFC 7517 §5), for caches and for every origin.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE, KEY_SET_TYPE } from '../../../../api/metadata.ts'
import { KEY_SET_MAX_AGE_SECONDS } from '../../domain/keys/key-life.ts'
import { type KeySet, publishKeys } from '../../operations/signing-keys/read-signing-keys.ts'
import type { Ports } from '../../ports/ports.ts'
import { makeNegotiator } from '../../domain/text/accept.ts'
import { allowAnyOrigin, makeVersionedBody, sendConstant } from '../wire/constant-body.ts'

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
