// DPoP proofs (RFC 9449 §4.2): read strictly, and verified off the event loop with the key that each one brings.
import { hash, type KeyObject } from 'node:crypto'
import { DPOP_ALGORITHMS, PROOF_CHARACTERS_MAX } from '../domain/dpop.ts'
import type { DpopProofs, UnverifiedProof } from '../ports/dpop-proofs.ts'
import { type CompactJws, isJsonObject, type JsonObject, readCompactJws } from './compact-jws.ts'
import { makeDpopNonces } from './dpop-nonces.ts'
import { parseProviderAlgorithm, parseProviderKey, permits, type ProviderAlgorithm } from './provider-key.ts'
import { verifySignature } from './verify-signature.ts'

/** The members that a thumbprint is made of, in the order of their names (RFC 7638 §3.2, RFC 8037 §2). */
const THUMBPRINT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
}

/** RFC 7638. Undefined where the key is spelled in another way than its one canonical one: one key has one thumbprint. */
export const thumbprintOf = (key: KeyObject, jwk: JsonObject): string | undefined => {
  const canonical: JsonObject = { ...key.export({ format: 'jwk' }) }
  const members = THUMBPRINT_MEMBERS[String(canonical['kty'])] ?? []
  if (members.length === 0 || members.some(name => canonical[name] !== jwk[name])) return undefined
  const required = Object.fromEntries(members.map(name => [name, canonical[name]]))
  return hash('sha256', JSON.stringify(required), 'base64url')
}

const verifyProof = async (
  jws: CompactJws,
  algorithm: ProviderAlgorithm,
  jwk: JsonObject,
): ReturnType<UnverifiedProof['verify']> => {
  const parsed = parseProviderKey(jwk)
  if (parsed === undefined || !permits(parsed, algorithm, undefined)) {
    return { wrong: 'jwk is not a public key for alg, strong enough and without private members' }
  }
  const jkt = thumbprintOf(parsed.key, jwk)
  if (jkt === undefined) return { wrong: 'jwk is not in its canonical form' }
  return (await verifySignature(jws, algorithm, parsed.key))
    ? { jkt }
    : { wrong: 'its signature does not verify with jwk' }
}

const isDpopAlgorithm = (alg: unknown): boolean => DPOP_ALGORITHMS.some(name => name === alg)

const read = (text: string): UnverifiedProof | { readonly wrong: string } => {
  if (text.length > PROOF_CHARACTERS_MAX) return { wrong: `it has more than ${PROOF_CHARACTERS_MAX} characters` }
  const jws = readCompactJws(text)
  if (jws === undefined)
    return { wrong: 'it is not a compact JWS in its canonical form, or has a member that is not taken' }
  const { typ, alg, jwk } = jws.header
  if (typ !== 'dpop+jwt') return { wrong: 'typ is not dpop+jwt' }
  const algorithm = isDpopAlgorithm(alg) ? parseProviderAlgorithm(alg) : undefined
  if (algorithm === undefined) return { wrong: `alg is not one of ${DPOP_ALGORITHMS.join(', ')}` }
  if (!isJsonObject(jwk)) return { wrong: 'jwk is missing' }
  return { claims: jws.payload, verify: () => verifyProof(jws, algorithm, jwk) }
}

export const makeDpopProofs = (keyEncryptionKey: Uint8Array): DpopProofs => ({
  read,
  nonce: makeDpopNonces(keyEncryptionKey),
})
