// DPoP proofs as a resource server checks them (RFC 9449 §4.3, §7): of this request, of this token, and of the key that
// the token is bound to.
import { calculateJwkThumbprint, flattenedVerify, importJWK, type JWK } from 'jose'
import { makeCompactReader } from '../readers/compact-jws.ts'
import { isJsonObject } from '../readers/json.ts'
import { hasPrivateMember } from '../readers/jwk.ts'
import {
  type CalledAddress,
  checkProofClaims,
  type PROOF_ALGORITHMS,
  PROOF_CHARACTERS_MAX,
} from '../readers/proof-claims.ts'
import { type Refusal, refusal } from '../refusals.ts'
import { encodeDigest, sha256Text } from './digest.ts'

/** A proof occupies memory until it is too old, so one of a clock that goes further ahead is not taken. */
export const PROOF_AHEAD_SECONDS_MAX = 10

/** The `kty` by algorithm of a proof, as the token endpoint accepts them. */
const KINDS: Readonly<Record<(typeof PROOF_ALGORITHMS)[number], string>> = {
  ES256: 'EC',
  Ed25519: 'OKP',
  EdDSA: 'OKP',
  RS256: 'RSA',
  PS256: 'RSA',
}

const isAlgorithm = (alg: unknown): alg is keyof typeof KINDS => typeof alg === 'string' && Object.hasOwn(KINDS, alg)

export type Presented = CalledAddress & {
  /** The header `DPoP`; undefined where there is none. */
  readonly proof: string | undefined
}

export type Proven = {
  /** The id, to be refused when it comes again. */
  readonly jti: string
  readonly jkt: string
  /** The client of the token. */
  readonly clientId: string
  /** The last time at which the proof is accepted, in ms since 1970. */
  readonly until: number
}

const readProof = makeCompactReader(PROOF_CHARACTERS_MAX)

const bad = (reason: string): Refusal => refusal('bad_proof', reason)

const thumbprintOf = async (jwk: JWK): Promise<string | undefined> => {
  try {
    return await calculateJwkThumbprint(jwk)
  } catch {
    return undefined
  }
}

const isSigned = async (parts: readonly [string, string, string], jwk: JWK, alg: string): Promise<boolean> => {
  const [header, payload, signature] = parts
  try {
    const key = await importJWK(jwk, alg)
    await flattenedVerify({ protected: header, payload, signature }, key, { algorithms: [alg] })
    return true
  } catch {
    return false
  }
}

export type ProofRequest = {
  readonly token: string
  readonly clientId: string
  readonly jkt: string
  readonly nowMs: number
}

/** Whether the caller holds the key of the token. Whether the proof came before is for its `jti` to say. */
export const checkProof = async (
  presented: Presented,
  { token, clientId, jkt, nowMs }: ProofRequest,
): Promise<Proven | Refusal> => {
  if (presented.proof === undefined) return bad('The request has no DPoP proof.')
  const jws = readProof(presented.proof)
  if (jws === undefined) return bad(`The proof is not one compact JWS of at most ${PROOF_CHARACTERS_MAX} characters.`)
  const { typ, alg, jwk } = jws.header
  if (typ !== 'dpop+jwt') return bad('typ is not dpop+jwt.')
  if (!isAlgorithm(alg) || !isJsonObject(jwk) || jwk['kty'] !== KINDS[alg]) return bad('jwk is no public key for alg.')
  if (hasPrivateMember(jwk)) return bad('jwk holds a private key.')
  const claims = checkProofClaims(jws.payload, presented, { nowMs, aheadSecondsMax: PROOF_AHEAD_SECONDS_MAX })
  if ('wrong' in claims) return bad(`The proof was refused: ${claims.wrong}.`)
  if (jws.payload['ath'] !== encodeDigest(await sha256Text(token)))
    return bad('ath is not the digest of the access token.')
  // The service took a key of exactly these texts when it bound the token, so its strength needs no second look.
  if ((await thumbprintOf(jwk)) !== jkt) return refusal('wrong_key', 'The token is bound to another key.')
  return (await isSigned(jws.parts, jwk, alg))
    ? { ...claims, jkt, clientId }
    : bad('The signature of the proof does not verify.')
}
