// Nonces for DPoP proofs (RFC 9449 §8), made of the time: every thread and process under one key makes the same ones.
import { createHmac, hkdfSync } from 'node:crypto'

const KEY_BYTES = 32
const INFO = 'mintmark dpop nonce 1'
/** 132 bits of base64url. */
const NONCE_CHARACTERS = 22
/** Two are in use at a time. */
const CACHED_MAX = 4

/** The nonce of a step of time. Without the key none can be told before it is given, nor a later one from an earlier. */
export const makeDpopNonces = (keyEncryptionKey: Uint8Array): ((step: number) => string) => {
  const key = new Uint8Array(hkdfSync('sha256', keyEncryptionKey, new Uint8Array(0), INFO, KEY_BYTES))
  const cached = new Map<number, string>()
  return step => {
    const known = cached.get(step)
    if (known !== undefined) return known
    const nonce = createHmac('sha256', key).update(String(step)).digest('base64url').slice(0, NONCE_CHARACTERS)
    if (cached.size >= CACHED_MAX) cached.clear()
    cached.set(step, nonce)
    return nonce
  }
}
