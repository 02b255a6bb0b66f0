// Reads a private key that somebody brings: PKCS#8 in PEM, or a JWK, of one algorithm and strong enough.
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto'
import { isKid } from '../../../../packages/verify/src/readers/kid.ts'
import type { SigningAlgorithm } from '../../../../api/values/algorithms.ts'
import { orUndefined } from '../or-undefined.ts'
import { type RsaLimits, rsaWeakness } from '../providers/rsa-strength.ts'
import { ALGORITHMS, bareJwkOf } from '../tokens/signing-algorithms.ts'
import { SIGNATURE_FORMS } from '../verify-signature.ts'

// RFC 8017 allows other exponents; a small one has broken verifiers, and no issuer in use has another.
const OWN_RSA: RsaLimits = { bitsMin: 2048, bitsMax: 4096, exponentMin: 65_537n, exponentMax: 65_537n }

type Members = Readonly<Record<string, unknown>>

const NOT_A_KEY =
  'private_key is none that can be read: send PKCS#8 in PEM without a passphrase (openssl pkcs8 -topk8 -nocrypt), or a JWK'

const parsePem = (pem: string): KeyObject | undefined =>
  /^\s*-----BEGIN PRIVATE KEY-----\r?\n/.test(pem)
    ? orUndefined(() => createPrivateKey({ key: pem, format: 'pem' }))
    : undefined

const OTHER_KIND: Readonly<Record<SigningAlgorithm, string>> = {
  ES256: 'an EC key on P-256',
  RS256: 'an RSA key',
  EdDSA: 'an Ed25519 key',
  'ML-DSA-65': 'an ML-DSA-65 key',
}

const weakness = (key: KeyObject, alg: SigningAlgorithm): string | undefined => {
  const isCurve = (): boolean => key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  const isKind = key.asymmetricKeyType === ALGORITHMS[alg].keyType && (alg !== 'ES256' || isCurve())
  if (!isKind) {
    return `private_key is not ${OTHER_KIND[alg]}, which ${alg} needs: MINTMARK_SIGNING_ALGORITHM says what the service signs with`
  }
  const fault = rsaWeakness(createPublicKey(key), OWN_RSA)
  return fault === undefined ? undefined : `private_key is ${fault}`
}

/** What a JWK says of its use must not be another one (RFC 7517 §4.2–4.4). */
const otherUse = ({ use, alg: named, key_ops: operations }: Members, alg: SigningAlgorithm): string | undefined => {
  // RFC 9864 calls EdDSA over this curve Ed25519.
  const names: readonly unknown[] = [undefined, alg, alg === 'EdDSA' ? 'Ed25519' : alg]
  if (use !== undefined && use !== 'sig') return 'private_key is a JWK whose use is not sig'
  if (!names.includes(named)) return `private_key is a JWK whose alg is not ${alg}`
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('sign'))) {
    return 'private_key is a JWK whose key_ops do not name sign'
  }
  return undefined
}

// Only its maker decides what the public and the private half of a JWK are: they may not belong together.
const belongsTogether = (key: KeyObject, alg: SigningAlgorithm, given: Members): boolean => {
  const { digest, options } = SIGNATURE_FORMS[alg]
  const text = randomBytes(32)
  const belongs = orUndefined(() => {
    const publicKey = createPublicKey(key)
    const own: Members = bareJwkOf(publicKey, alg)
    const isSame = Object.entries(own).every(([name, value]) => name === 'alg' || (given[name] ?? value) === value)
    return isSame && verify(digest, text, { ...options, key: publicKey }, sign(digest, text, { ...options, key }))
  })
  return belongs === true
}

/** The key with the `kid` that the JWK names or, before that, the caller. Nothing of the key is in any message. */
export const readPrivateKey = (
  given: string | object,
  kid: string | null,
  alg: SigningAlgorithm,
): { readonly privateKey: KeyObject; readonly kid: string | null } | { readonly wrong: string } => {
  const jwk: Members = typeof given === 'string' ? {} : { ...given }
  const key =
    typeof given === 'string' ? parsePem(given) : orUndefined(() => createPrivateKey({ key: jwk, format: 'jwk' }))
  if (key === undefined) return { wrong: NOT_A_KEY }
  const wrong = weakness(key, alg) ?? otherUse(jwk, alg)
  if (wrong !== undefined) return { wrong }
  if (!belongsTogether(key, alg, jwk)) return { wrong: 'private_key does not belong to the public key beside it' }
  const named = kid ?? jwk['kid'] ?? null
  if (named !== null && (typeof named !== 'string' || !isKid(named))) {
    return { wrong: 'kid is not 1 to 128 printable ASCII characters without spaces' }
  }
  return { privateKey: key, kid: named }
}
