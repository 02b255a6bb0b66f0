// Verifies the signature of a foreign JWS with a key that was chosen for it, off the event loop.
import { constants, type KeyObject, verify, type VerifyKeyObjectInput } from 'node:crypto'
import { promisify } from 'node:util'
import type { CompactJws } from '../tokens/compact-jws.ts'
import type { ProviderAlgorithm } from './provider-key.ts'

// On libuv's threads: up to 0.1 ms of arithmetic, which nobody else's request waits for.
const verifyAside = promisify(verify)

const DIGESTS: Readonly<Record<ProviderAlgorithm, string | null>> = {
  RS256: 'sha256',
  PS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  Ed25519: null,
}

/** RFC 7518 §3.4: r and s side by side. §3.5: a salt as long as the hash. */
const inputOf = (key: KeyObject, algorithm: ProviderAlgorithm): VerifyKeyObjectInput => {
  if (algorithm !== 'PS256') return { key, dsaEncoding: 'ieee-p1363' }
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
}

/** The key must be one that permits the algorithm. */
export const verifySignature = (
  { signingInput, signature }: CompactJws,
  algorithm: ProviderAlgorithm,
  key: KeyObject,
): Promise<boolean> => verifyAside(DIGESTS[algorithm], Buffer.from(signingInput), inputOf(key, algorithm), signature)
