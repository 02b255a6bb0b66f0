// DPoP proofs (RFC 9449 §4.2): read strictly, and verified off the event loop with the key that each one brings.
import { createHmac } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../../packages/verify/src/readers/json.ts'
import { PROOF_ALGORITHMS, PROOF_CHARACTERS_MAX } from '../../../../packages/verify/src/readers/proof-claims.ts'
import type { DpopProofs, UnverifiedProof } from '../../ports/client-keys.ts'
import { type CompactJws, readCompactJws } from '../verify-signature.ts'
import { deriveKey } from '../at-rest/sealed-bytes.ts'
import { parseProviderAlgorithm, parseProviderKey, permits, type ProviderAlgorithm } from '../providers/provider-key.ts'
import { requiredMembers, thumbprintOf } from '../tokens/thumbprint.ts'
import { verifySignature } from '../verify-signature.ts'

// So that one key has one thumbprint, a proof must hold its key in canonical form.
const isCanonical = (canonical: JsonObject, jwk: JsonObject): boolean =>
  Object.entries(requiredMembers(canonical)).every(([name, value]) => jwk[name] === value)

const verifyProof = async (
  jws: CompactJws,
  algorithm: ProviderAlgorithm,
  jwk: JsonObject,
): ReturnType<UnverifiedProof['verify']> => {
  const parsed = parseProviderKey(jwk)
  if (parsed === undefined || !permits(parsed, algorithm, undefined)) {
    return { wrong: 'jwk is not a public key for alg, without private members' }
  }
  const read = parsed.read()
  if ('wrong' in read) return { wrong: `jwk is ${read.wrong}` }
  const canonical: JsonObject = { ...read.key.export({ format: 'jwk' }) }
  if (!isCanonical(canonical, jwk)) return { wrong: 'jwk is not in its canonical form' }
  return (await verifySignature(jws, algorithm, read.key))
    ? { jkt: thumbprintOf(canonical) }
    : { wrong: 'its signature does not verify with jwk' }
}

const read = (text: string): UnverifiedProof | { readonly wrong: string } => {
  if (text.length > PROOF_CHARACTERS_MAX) return { wrong: `it has more than ${PROOF_CHARACTERS_MAX} characters` }
  const jws = readCompactJws(text)
  if (jws === undefined)
    return { wrong: 'it is not a compact JWS in its canonical form, or has a member that is not taken' }
  const { typ, alg, jwk } = jws.header
  if (typ !== 'dpop+jwt') return { wrong: 'typ is not dpop+jwt' }
  const algorithm = PROOF_ALGORITHMS.some(name => name === alg) ? parseProviderAlgorithm(alg) : undefined
  if (algorithm === undefined) return { wrong: `alg is not one of ${PROOF_ALGORITHMS.join(', ')}` }
  if (!isJsonObject(jwk)) return { wrong: 'jwk is missing' }
  return { claims: jws.payload, verify: () => verifyProof(jws, algorithm, jwk) }
}

const NONCE_KEY = 'mintmark dpop nonce 1'
/** The length of 132 bits in base64url. */
const NONCE_CHARACTERS = 22
/** The most nonces in the cache; two are in use at a time. */
const CACHED_MAX = 4

/** The nonces (RFC 9449 §8), by step of time: every thread and process under one key makes the same ones.
 * Without the key none can be predicted, nor a later one computed from an earlier. */
const makeDpopNonces = (keyEncryptionKey: Uint8Array): ((step: number) => string) => {
  const key = deriveKey(keyEncryptionKey, NONCE_KEY)
  const cached = new Map<number, string>()
  return step => {
    const known = cached.get(step)
    if (known !== undefined) return known
    const nonce = createHmac('sha256', key).update(String(step)).digest('base64url').slice(0, NONCE_CHARACTERS)
    if (cached.size >= CACHED_MAX) cached.clear()
    cached.set(step, nonce)
    return nonce
  }
}

export const makeDpopProofs = (keyEncryptionKey: Uint8Array): DpopProofs => ({
  read,
  nonce: makeDpopNonces(keyEncryptionKey),
})
