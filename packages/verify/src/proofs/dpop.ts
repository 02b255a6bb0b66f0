// DPoP proofs as a resource server checks them (RFC 9449 §4.3, §7): of this request, of this token, and of the key that
// the token is bound to.
import { calculateJwkThumbprint, flattenedVerify, importJWK, type JWK } from 'jose'
import { type Refusal, refusal } from '../refusals.ts'
import { makeCompactReader } from '../tokens/compact-jws.ts'
import { isJsonObject, type JsonObject } from '../tokens/json.ts'
import { encodeDigest, sha256Text } from './digest.ts'

export const PROOF_CHARACTERS_MAX = 4096
/** The distance from the present time, before and after. */
export const PROOF_AGE_SECONDS_MAX = 60
const ID_CHARACTERS_MAX = 256
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** The `kty` by algorithm of a proof, as the token endpoint accepts them; `EdDSA` is the older name of Ed25519 (RFC 9864). */
const KINDS: Readonly<Record<string, string>> = {
  ES256: 'EC',
  Ed25519: 'OKP',
  EdDSA: 'OKP',
  RS256: 'RSA',
  PS256: 'RSA',
}

/** The value of the parameter `algs` of a challenge (RFC 9449 §7.1). */
export const PROOF_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA', 'RS256', 'PS256'] as const

export type Presented = {
  /** The method of the request in capital letters. */
  readonly method: string
  /** The URL of the request as callers write it; its query and fragment are ignored (RFC 9449 §4.3). */
  readonly url: string
  /** The header `DPoP`; undefined where there is none. */
  readonly proof: string | undefined
}

export type Proven = {
  /** The id, to be refused when it comes again. */
  readonly jti: string
  readonly jkt: string
  /** The time from which the proof is too old anyway, in ms since 1970. */
  readonly until: number
}

const readProof = makeCompactReader(PROOF_CHARACTERS_MAX)

const bad = (reason: string): Refusal => refusal('bad_proof', reason)

/** An address in its normal form (RFC 3986 §6.2.2, §6.2.3), without query and fragment; undefined for what is none. */
const normalForm = (url: unknown): string | undefined => {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const timeProblem = ({ iat, exp, nbf }: JsonObject, nowMs: number): string | undefined => {
  const now = nowMs / 1000
  if (!isTime(iat) || Math.abs(now - iat) > PROOF_AGE_SECONDS_MAX) return 'iat is not of the last minute.'
  if (exp !== undefined && (!isTime(exp) || now >= exp)) return 'exp has passed.'
  if (nbf !== undefined && (!isTime(nbf) || now + PROOF_AGE_SECONDS_MAX < nbf)) return 'nbf is to come.'
  return undefined
}

const claimProblem = (claims: JsonObject, { method, url }: Presented, ath: string): string | undefined => {
  const { htm, htu, jti } = claims
  if (htm !== method) return 'htm is not the method of the request.'
  const address = normalForm(url)
  if (address === undefined || normalForm(htu) !== address) return 'htu is not the address of the request.'
  if (claims['ath'] !== ath) return 'ath is not the digest of the access token.'
  const isId = typeof jti === 'string' && jti !== '' && jti.length <= ID_CHARACTERS_MAX
  return isId ? undefined : `jti is not a text of 1 to ${ID_CHARACTERS_MAX} characters.`
}

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

export type ProofRequest = { readonly token: string; readonly jkt: string; readonly nowMs: number }

/** Whether the caller holds the key of the token. Whether the proof came before is for its `jti` to say. */
export const checkProof = async (
  presented: Presented,
  { token, jkt, nowMs }: ProofRequest,
): Promise<Proven | Refusal> => {
  if (presented.proof === undefined) return bad('The request has no DPoP proof.')
  const jws = readProof(presented.proof)
  if (jws === undefined) return bad(`The proof is not one compact JWS of at most ${PROOF_CHARACTERS_MAX} characters.`)
  const { typ, alg, jwk, ...others } = jws.header
  if (typ !== 'dpop+jwt') return bad('typ is not dpop+jwt.')
  if (['crit', 'b64', 'zip'].some(name => Object.hasOwn(others, name))) return bad('The header has an extension.')
  const isKnown = typeof alg === 'string' && Object.hasOwn(KINDS, alg)
  if (!isKnown || !isJsonObject(jwk) || jwk['kty'] !== KINDS[alg]) return bad('jwk is no public key for alg.')
  if (PRIVATE_MEMBERS.some(name => Object.hasOwn(jwk, name))) return bad('jwk holds a private key.')
  const problem =
    timeProblem(jws.payload, nowMs) ?? claimProblem(jws.payload, presented, encodeDigest(await sha256Text(token)))
  if (problem !== undefined) return bad(problem)
  // The service took a key of exactly these texts when it bound the token, so its strength needs no second look.
  if ((await thumbprintOf(jwk)) !== jkt) return refusal('wrong_key', 'The token is bound to another key.')
  if (!(await isSigned(jws.parts, jwk, alg))) return bad('The signature of the proof does not verify.')
  const { jti, iat } = jws.payload as { readonly jti: string; readonly iat: number }
  return { jti, jkt, until: (iat + PROOF_AGE_SECONDS_MAX) * 1000 }
}
