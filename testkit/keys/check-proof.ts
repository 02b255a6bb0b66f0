// How a resource server checks a DPoP proof; docs/agents/bound-tokens.md shows it word for word from here on.

import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')

type Presented = {
  readonly token: string // after "DPoP " in the header Authorization
  readonly jkt: string // cnf.jkt of its introspection, or of its payload once that is verified
  readonly proof: string // the header DPoP, of which there must be one
  readonly method: string // of this request
  readonly address: string // of this request, without query and fragment, as callers write it
}

/** The proof's jti, to be refused when it comes again. Throws where the caller does not hold the token's key. */
export const checkProof = async ({ token, jkt, proof, method, address }: Presented): Promise<string> => {
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: ['ES256', 'Ed25519', 'EdDSA', 'RS256', 'PS256'],
    maxTokenAge: 60,
  })
  if (payload['htm'] !== method || payload['htu'] !== address) throw new Error('The proof is for another request.')
  if (payload['ath'] !== sha256(token)) throw new Error('The proof is for another token.')
  const { jwk, jti = '' } = { ...protectedHeader, ...payload }
  if (jwk === undefined || (await calculateJwkThumbprint(jwk)) !== jkt) throw new Error('The proof is of another key.')
  return jti
}
