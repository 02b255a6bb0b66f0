// The public keys of an identity provider: which are strong enough to be kept, and which algorithm each permits.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { isJsonObject, type JsonObject } from './compact-jws.ts'

// RFC 7518 §3.1, RFC 9864 §2. Asymmetric only: a public key can then never be taken for a shared secret.
const KEY_KINDS = {
  RS256: 'RSA',
  PS256: 'RSA',
  ES256: 'EC P-256',
  ES384: 'EC P-384',
  Ed25519: 'OKP Ed25519',
} as const

export type ProviderAlgorithm = keyof typeof KEY_KINDS

export type ProviderKey = {
  readonly kid: string | undefined
  readonly kind: string
  /** The only algorithm that the provider wants the key used with; undefined: any of its kind. */
  readonly algorithm: ProviderAlgorithm | undefined
  readonly key: KeyObject
}

const RSA_BITS_MIN = 2048
// Verifying costs more with every bit, and the set is the provider's, not ours.
const RSA_BITS_MAX = 8192
const RSA_EXPONENT_MIN = 65_537n
const RSA_EXPONENT_MAX = 0xffff_ffffn
export const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
export const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e']

const isProviderAlgorithm = (name: unknown): name is ProviderAlgorithm =>
  typeof name === 'string' && Object.hasOwn(KEY_KINDS, name)

/** The algorithm of a header or a key; `EdDSA` is the older name of Ed25519, told apart by the key's curve. */
export const parseProviderAlgorithm = (name: unknown): ProviderAlgorithm | undefined => {
  if (name === 'EdDSA') return 'Ed25519'
  return isProviderAlgorithm(name) ? name : undefined
}

const isStrong = (key: KeyObject): boolean => {
  if (key.asymmetricKeyType !== 'rsa') return true
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < RSA_BITS_MIN || modulusLength > RSA_BITS_MAX) return false
  return publicExponent >= RSA_EXPONENT_MIN && publicExponent <= RSA_EXPONENT_MAX && publicExponent % 2n === 1n
}

const importKey = (jwk: JsonObject): KeyObject | undefined => {
  const members = PUBLIC_MEMBERS.map(name => [name, jwk[name]] as const)
  if (!members.every(([, value]) => value === undefined || typeof value === 'string')) return undefined
  const publicMembers = Object.fromEntries(members.filter(([, value]) => value !== undefined))
  try {
    return createPublicKey({ key: publicMembers, format: 'jwk' })
  } catch {
    return undefined
  }
}

/** For verifying signatures, as `use` and `key_ops` say it (RFC 7517 §4.2, §4.3). Both are optional. */
const isForVerifying = (
  { use = 'sig', key_ops: operations = ['verify'] }: JsonObject,
  uses: readonly unknown[],
): boolean => uses.includes(use) && Array.isArray(operations) && operations.includes('verify')

/** A member of a key set; undefined for what is not a strong public key for signatures. A set may hold others. */
export const parseProviderKey = (jwk: unknown, uses: readonly string[] = ['sig']): ProviderKey | undefined => {
  if (!isJsonObject(jwk) || !isForVerifying(jwk, uses)) return undefined
  const { kid, kty, crv, alg } = jwk
  if (PRIVATE_MEMBERS.some(name => Object.hasOwn(jwk, name))) return undefined
  if (kid !== undefined && typeof kid !== 'string') return undefined
  const algorithm = parseProviderAlgorithm(alg)
  if (alg !== undefined && algorithm === undefined) return undefined
  const key = importKey(jwk)
  if (key === undefined || !isStrong(key)) return undefined
  return { kid, kind: kty === 'RSA' ? 'RSA' : `${String(kty)} ${String(crv)}`, algorithm, key }
}

/** Whether a header with this algorithm and key id can be signed with the key. Without `kid` any key of the kind can. */
export const permits = (key: ProviderKey, algorithm: ProviderAlgorithm, kid: string | undefined): boolean =>
  key.kind === KEY_KINDS[algorithm] &&
  (key.algorithm === undefined || key.algorithm === algorithm) &&
  (kid === undefined || key.kid === kid)
