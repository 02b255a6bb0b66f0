// The algorithms of signing keys, one row each: how a key is made, published and named.
import { createPublicKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { BareJwk } from '../../domain/keys/signing-key.ts'
import { SIGNATURE_BYTES, type SigningAlgorithm } from '../../../../api/values/algorithms.ts'

const RSA_BITS = 3072
const RSA = { modulusLength: RSA_BITS, publicExponent: 65_537 } as const

type Pair = { readonly privateKey: KeyObject }

type Algorithm = {
  /** Node's name of the kind of key. */
  readonly keyType: string
  /** Makes a key on this thread, for a command. */
  readonly make: () => Pair
  /** Makes a key without blocking this thread: an RSA key can take a second. */
  readonly generate: () => Promise<Pair>
}

const generate = promisify(generateKeyPair)

export const ALGORITHMS: Readonly<Record<SigningAlgorithm, Algorithm>> = {
  ES256: {
    keyType: 'ec',
    make: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generate: () => generate('ec', { namedCurve: 'P-256' }),
  },
  RS256: {
    keyType: 'rsa',
    make: () => generateKeyPairSync('rsa', RSA),
    generate: () => generate('rsa', RSA),
  },
  EdDSA: {
    keyType: 'ed25519',
    make: () => generateKeyPairSync('ed25519'),
    generate: () => generate('ed25519'),
  },
  'ML-DSA-65': {
    keyType: 'ml-dsa-65',
    make: () => generateKeyPairSync('ml-dsa-65'),
    generate: () => generate('ml-dsa-65'),
  },
}

/** The public members of a key, private or public, of this algorithm. Throws for another kind of key. */
export const bareJwkOf = (key: KeyObject, alg: SigningAlgorithm): BareJwk => {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  if (publicKey.asymmetricKeyType !== ALGORITHMS[alg].keyType) throw new Error(`The key is none for ${alg}.`)
  const members: Readonly<Record<string, unknown>> = { ...publicKey.export({ format: 'jwk' }) }
  const of = (name: string): string => String(members[name])
  switch (alg) {
    case 'ES256':
      return { kty: 'EC', crv: 'P-256', x: of('x'), y: of('y'), alg }
    case 'RS256':
      return { kty: 'RSA', n: of('n'), e: of('e'), alg }
    case 'EdDSA':
      return { kty: 'OKP', crv: 'Ed25519', x: of('x'), alg }
    case 'ML-DSA-65':
      return { kty: 'AKP', pub: of('pub'), alg }
  }
}

/** The length of a signature, in bytes. */
export const signatureBytes = (jwk: BareJwk): number =>
  jwk.alg === 'RS256' ? Buffer.from(jwk.n, 'base64url').length : SIGNATURE_BYTES[jwk.alg][0]

/** Whether this runtime has the algorithm: OpenSSL has ML-DSA from 3.5 on. */
export const isAlgorithmThere = (alg: SigningAlgorithm): boolean => {
  if (alg !== 'ML-DSA-65') return true
  try {
    ALGORITHMS[alg].make()
    return true
  } catch {
    return false
  }
}
