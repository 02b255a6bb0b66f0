// The private key with which a client signs its assertions: a JWK, a CryptoKey, or a file with a JWK or PKCS #8.
import { type CryptoKey, importJWK, importPKCS8, type JWK } from 'jose'
import type { Kind } from '../../../verify/src/wire/option-members.ts'
import { parseObject } from '../wire/answer.ts'
import { FileFault, readTextFile } from '../wire/text-file.ts'

/** A key that need not be exportable. */
export type KeptKey = {
  readonly key: CryptoKey
  /** The id under which the server knows it; it may be left out where one key of the client fits. */
  readonly kid?: string | undefined
}

/** A private JWK (RFC 7517), or a CryptoKey. */
export type PrivateKey = JWK | KeptKey

export type SigningKey = {
  readonly key: CryptoKey | Uint8Array
  readonly alg: string
  readonly kid?: string | undefined
}

type Algorithm = { readonly name: string; readonly namedCurve?: string; readonly hash?: { readonly name: string } }

const ALGORITHMS: Readonly<Record<string, string>> = {
  'ECDSA P-256': 'ES256',
  'ECDSA P-384': 'ES384',
  Ed25519: 'EdDSA',
  'RSASSA-PKCS1-v1_5 SHA-256': 'RS256',
  'RSA-PSS SHA-256': 'PS256',
}

/** The algorithm by the curve of a JWK, or else by its `kty`. */
const OF_JWK: Readonly<Record<string, string>> = { 'P-256': 'ES256', 'P-384': 'ES384', Ed25519: 'EdDSA', RSA: 'RS256' }

/** PKCS #8 does not say for which algorithm it is: the first that its key fits is it. */
const OF_PKCS8 = ['ES256', 'ES384', 'EdDSA', 'RS256'] as const

const EXPECTED = 'expected a private key for ES256, ES384, EdDSA, RS256 or PS256'

const fromCryptoKey = ({ key, kid }: KeptKey): SigningKey => {
  const { name, namedCurve, hash } = key.algorithm as Algorithm
  const alg = ALGORITHMS[[name, namedCurve ?? hash?.name].filter(Boolean).join(' ')]
  if (alg === undefined || key.type !== 'private' || !key.usages.includes('sign')) {
    throw new TypeError(`privateKey is a CryptoKey that cannot sign here; ${EXPECTED}.`)
  }
  return { key, alg, kid }
}

const fromJwk = async (jwk: JWK): Promise<SigningKey> => {
  const alg = jwk.alg ?? OF_JWK[jwk.crv ?? jwk.kty ?? '']
  const isKnown = alg !== undefined && Object.values(ALGORITHMS).includes(alg)
  if (!isKnown || typeof jwk.d !== 'string') throw new TypeError(`privateKey is a JWK of another kind; ${EXPECTED}.`)
  return { key: await importJWK(jwk, alg), alg, kid: jwk.kid }
}

const isKept = (key: object): key is KeptKey => 'key' in key && typeof key.key === 'object'

export const isPrivateKey: Kind = value =>
  (typeof value === 'object' && value !== null && (isKept(value) || 'kty' in value)) ||
  'a JWK, or an object with a CryptoKey as key'

export const importPrivateKey = async (given: PrivateKey): Promise<SigningKey> => {
  if (isKept(given)) return fromCryptoKey(given)
  try {
    return await fromJwk(given)
  } catch (error) {
    // What a library says of a key may repeat a part of it.
    throw error instanceof TypeError && error.message.startsWith('privateKey')
      ? error
      : new TypeError(`privateKey is a JWK that cannot be imported; ${EXPECTED}.`)
  }
}

const fromPem = async (pem: string): Promise<SigningKey | undefined> => {
  for (const alg of OF_PKCS8) {
    try {
      return { key: await importPKCS8(pem, alg), alg }
    } catch {
      // Of another algorithm.
    }
  }
  return undefined
}

/** A JWK, or PKCS #8 in PEM. Throws a FileFault where it is neither. */
export const readPrivateKey = async (path: string): Promise<SigningKey> => {
  const text = await readTextFile(path)
  const jwk = parseObject(text)
  try {
    const key = jwk === undefined ? await fromPem(text) : await fromJwk(jwk)
    if (key !== undefined) return key
  } catch {
    // Reported below without what the file holds.
  }
  throw new FileFault(
    `the file ${JSON.stringify(path)} holds no key that is known here; ${EXPECTED} as a JWK or PKCS #8`,
  )
}
