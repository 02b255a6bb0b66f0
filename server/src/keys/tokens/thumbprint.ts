// The thumbprint of a public key: one name for one key.
import { hash } from 'node:crypto'

type Jwk = Readonly<Record<string, unknown>>

/** The required members by `kty`, in the order of their names: RFC 7638 §3.2, RFC 8037 §2 and, for AKP, the draft of ML-DSA for JOSE. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  AKP: ['alg', 'kty', 'pub'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
}

/** The members that make the key this one and no other. Throws for a kind of key that has no thumbprint. */
export const requiredMembers = (jwk: Jwk): Jwk => {
  const names = REQUIRED[String(jwk['kty'])]
  if (names === undefined) throw new Error('No thumbprint is defined for this kind of key.')
  return Object.fromEntries(names.map(name => [name, jwk[name]]))
}

/** RFC 7638 §3: SHA-256 of the required members, in base64url. */
export const thumbprintOf = (jwk: Jwk): string => hash('sha256', JSON.stringify(requiredMembers(jwk)), 'base64url')
