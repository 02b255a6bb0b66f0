// Whether a key of an identity provider signed a JWT. Operators' tools send one JWT again and again.
import { hash, type KeyObject } from 'node:crypto'
import { compactVerify, errors } from 'jose'
import type { CompactJws } from './compact-jws.ts'

/** JWTs known for each key, by hashes: a JWT that verified is a secret, and is not kept. */
const KNOWN_MAX = 1000

const verify = async ({ text, header }: CompactJws, key: KeyObject): Promise<boolean> => {
  try {
    await compactVerify(text, key, { algorithms: [String(header['alg'])] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}

/**
 * Gives a check that verifies each exact text once a key. That this key made that signature stays true for ever; what
 * can change (which keys the provider has, times, audience, roles) is no part of it. A key set that was read anew
 * holds new keys, for which nothing is known.
 */
export const makeSignatureCheck = (): ((jws: CompactJws, key: KeyObject) => Promise<boolean>) => {
  const known = new WeakMap<KeyObject, Set<string>>()
  return async (jws, key) => {
    const hashes = known.get(key) ?? new Set()
    const own = hash('sha256', jws.text, 'base64url')
    if (hashes.has(own)) return true
    if (!(await verify(jws, key))) return false
    if (hashes.size >= KNOWN_MAX) hashes.clear()
    known.set(key, hashes.add(own))
    return true
  }
}
