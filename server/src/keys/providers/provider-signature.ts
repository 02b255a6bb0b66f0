// Whether a key of an issuer signed a JWT. Operators' tools, and workloads, send one JWT again and again.
import { hash, type KeyObject } from 'node:crypto'
import type { CompactJws } from '../tokens/compact-jws.ts'
import type { ProviderAlgorithm } from './provider-key.ts'
import type { VerificationQueue } from './verification-queue.ts'
import { verifySignature } from '../verify-signature.ts'

/** JWTs that are known, by hashes: a JWT that verified is a secret, and is not kept. */
const KNOWN_MAX = 4000

/** The key must be one that permits the algorithm. `source` is where the JWT came from. */
export type SignatureCheck = (
  jws: CompactJws,
  algorithm: ProviderAlgorithm,
  key: KeyObject,
  source: string,
) => Promise<boolean>

/** Verifies each time, as is right for a JWT that is sent once. */
export const makeSignatureCheck =
  (queue: VerificationQueue): SignatureCheck =>
  (jws, algorithm, key, source) =>
    queue(source, () => verifySignature(jws, algorithm, key))

/**
 * Verifies each exact text once a key, and lets what verified pass the queue. That this key made that signature stays
 * true for ever; what can change (which keys the provider has, times, audience, roles) is no part of it.
 */
export const makeRepeatedSignatureCheck = (queue: VerificationQueue): SignatureCheck => {
  const known = new Map<string, KeyObject>()
  const check = makeSignatureCheck(queue)
  return async (jws, algorithm, key, source) => {
    const own = hash('sha256', jws.text, 'base64url')
    if (known.get(own) === key) return true
    if (!(await check(jws, algorithm, key, source))) return false
    const [oldest] = known.keys()
    if (known.size >= KNOWN_MAX && oldest !== undefined) known.delete(oldest)
    known.set(own, key)
    return true
  }
}
