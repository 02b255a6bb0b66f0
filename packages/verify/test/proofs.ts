// DPoP proofs for requests to a resource server.
import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { type Change, makeProof, type ProofKey } from '../../../testkit/keys/dpop.ts'

export const ADDRESS = 'https://api.example/v1/orders'

export const thumbprint = (key: ProofKey): Promise<string> => calculateJwkThumbprint(key.jwk)

/** The digest of a token (RFC 9449 §4.2). */
export const ath = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** A good proof for `GET` of {@link ADDRESS} with this token, but for what is changed. */
export const proofOf = (key: ProofKey, token: string, changed: { header?: Change; claims?: Change } = {}): string =>
  makeProof(key, {
    header: { ...changed.header },
    claims: {
      htm: 'GET',
      htu: ADDRESS,
      iat: Math.floor(Date.now() / 1000),
      ath: ath(token),
      jti: randomUUID(),
      ...changed.claims,
    },
  })
