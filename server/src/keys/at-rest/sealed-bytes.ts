// The uses of the key-encryption key: bytes sealed under it (AES-256-GCM), each bound to its purpose, and keys derived from it.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Signing } from '../../domain/ledger/plan.ts'
import { orUndefined } from '../or-undefined.ts'

const KEY_ENCRYPTION_KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The 32 bytes of a key-encryption key as `openssl rand -base64 32` prints one; undefined for any other text. */
export const parseKeyEncryptionKey = (base64: string): Uint8Array | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === KEY_ENCRYPTION_KEY_BYTES && bytes.toString('base64') === base64 ? bytes : undefined
}

/** A name for a key-encryption key that reveals nothing of it: it is stored beside what the key sealed. */
export const keyEncryptionKeyId = (keyEncryptionKey: Uint8Array): string =>
  createHmac('sha256', keyEncryptionKey).update('mintmark key-encryption key id').digest('hex').slice(0, 16)

/** Nonce, ciphertext, tag. `purpose` is authenticated with the bytes: they open for no other purpose. */
export const seal = (keyEncryptionKey: Uint8Array, plain: Uint8Array, purpose: string): Uint8Array => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyEncryptionKey, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(purpose))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The plain bytes, or undefined where what was sealed was changed since, or is sealed under another key. */
export const unseal = (keyEncryptionKey: Uint8Array, sealed: Uint8Array, purpose: string): Buffer | undefined => {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, keyEncryptionKey, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  return orUndefined(() => Buffer.concat([plain, decipher.final()]))
}

const DERIVED_KEY_BYTES = 32

/** RFC 5869. `info` is the key's own: it reveals nothing of the key-encryption key, or of the other keys derived from it. */
export const deriveKey = (keyEncryptionKey: Uint8Array, info: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', keyEncryptionKey, new Uint8Array(0), info, DERIVED_KEY_BYTES))

/** The key of the audit log's seals: a writer of the store who lacks the key-encryption key cannot forge a seal. */
export const auditSealKey = (keyEncryptionKey: Uint8Array): Uint8Array =>
  deriveKey(keyEncryptionKey, 'mintmark audit seal 1')

const PLAN_KEY = 'mintmark revocation plan 1'

/** Signs plans of revocations, by a key that all processes of a service derive. */
export const makePlanSigning = (keyEncryptionKey: Uint8Array): Signing => {
  const key = deriveKey(keyEncryptionKey, PLAN_KEY)
  return {
    mac: text => createHmac('sha256', key).update(text, 'utf8').digest('base64url'),
    areEqual: (a, b) => {
      const [one, other] = [Buffer.from(a), Buffer.from(b)]
      return one.length === other.length && timingSafeEqual(one, other)
    },
  }
}
