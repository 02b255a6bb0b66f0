// Private keys that never change, for tables of texts that are written again. Nobody but tests trusts them.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { JWK } from 'jose'
import type { ProofKey } from './dpop.ts'

type Role = 'issuer' | 'holder' | 'other' | 'attacker'

/** PKCS#8 in base64, by role and algorithm. */
const KEYS = JSON.parse(readFileSync(resolve(import.meta.dirname, 'fixed-keys.json'), 'utf8')) as Readonly<
  Record<Role, Readonly<Record<string, string>>>
>

/** Throws where the file holds no such key. */
export const fixedKey = (role: Role, alg: string): ProofKey => {
  const der = KEYS[role][alg]
  if (der === undefined) throw new Error(`No key of the ${role} for ${alg}.`)
  const privateKey = createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' })
  return { alg, jwk: createPublicKey(privateKey).export({ format: 'jwk' }) as JWK, privateKey }
}
