// Checks the signatures of JWTs of issuers. The tools of operators, and workloads, send the same JWT many times.
import { hash, type KeyObject } from 'node:crypto'
import type { CompactJws } from '../tokens/compact-jws.ts'
import type { ProviderAlgorithm } from './provider-key.ts'
import type { VerificationQueue } from './verification-queue.ts'
import { verifySignature } from '../verify-signature.ts'

/** Verified JWTs that are cached, by their hashes: a verified JWT is a secret, and is not kept. */
const KNOWN_MAX = 4000

/** The key must be one that permits the algorithm. `source` is where the JWT came from. */
export type SignatureCheck = (
  jws: CompactJws,
  algorithm: ProviderAlgorithm,
  key: KeyObject,
  source: string,
) => Promise<boolean>

/** Verifies each time, for JWTs that may be sent once. */
export const makeSignatureCheck =
  (queue: VerificationQueue): SignatureCheck =>
  (jws, algorithm, key, source) =>
    queue(source, () => verifySignature(jws, algorithm, key))

/**
 * Verifies each exact text once for each key; a text that is cached does not enter the queue. That this key made that
 * signature stays true; what can change (the provider's keys, times, audience, roles) is checked elsewhere each time.
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
