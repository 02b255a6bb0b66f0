// Signing keys at rest: each sealed under the key-encryption key from the moment it is made.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import type { SealedSigningKey, SigningAlgorithm } from '../domain/signing-key.ts'
import { ALGORITHMS, bareJwkOf, thumbprintOf } from './signing-algorithms.ts'

const KEY_ENCRYPTION_KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The 32 bytes of a key-encryption key as `openssl rand -base64 32` prints one; undefined for any other text. */
export const parseKeyEncryptionKey = (base64: string): Uint8Array | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === KEY_ENCRYPTION_KEY_BYTES && bytes.toString('base64') === base64 ? bytes : undefined
}

/** A name for a key-encryption key from which the key cannot be found: it stands beside what the key sealed. */
export const keyEncryptionKeyId = (keyEncryptionKey: Uint8Array): string =>
  createHmac('sha256', keyEncryptionKey).update('mintmark key-encryption key id').digest('hex').slice(0, 16)

// The kid is authenticated with the key, so that no sealed key can stand in the row of another.
const seal = (keyEncryptionKey: Uint8Array, plain: Uint8Array, kid: string): Uint8Array => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyEncryptionKey, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(kid))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The plain bytes, or undefined where what was sealed was changed since. */
const unseal = (keyEncryptionKey: Uint8Array, sealed: Uint8Array, kid: string): Buffer | undefined => {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, keyEncryptionKey, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(kid))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([plain, decipher.final()])
  } catch {
    return undefined
  }
}

/** Seals a private key; its `kid` is the thumbprint unless it has one of its own. */
export const sealSigningKey = (
  keyEncryptionKey: Uint8Array,
  privateKey: KeyObject,
  { alg, kid }: { readonly alg: SigningAlgorithm; readonly kid?: string | undefined },
): SealedSigningKey => {
  const bare = bareJwkOf(privateKey, alg)
  const thumbprint = thumbprintOf(bare)
  const publicJwk = { ...bare, kid: kid ?? thumbprint, use: 'sig' } as const
  return {
    publicJwk,
    thumbprint,
    sealedPrivateKey: seal(keyEncryptionKey, privateKey.export({ format: 'der', type: 'pkcs8' }), publicJwk.kid),
    keyEncryptionKeyId: keyEncryptionKeyId(keyEncryptionKey),
  }
}

export const makeSigningKey = (keyEncryptionKey: Uint8Array, alg: SigningAlgorithm = 'ES256'): SealedSigningKey =>
  sealSigningKey(keyEncryptionKey, ALGORITHMS[alg].make().privateKey, { alg })

/** The same beside this thread, for one that serves. */
export const generateSigningKey = async (
  keyEncryptionKey: Uint8Array,
  alg: SigningAlgorithm,
): Promise<SealedSigningKey> => sealSigningKey(keyEncryptionKey, (await ALGORITHMS[alg].generate()).privateKey, { alg })

/** The private key. Throws, with what is wrong and what to do, where this key-encryption key cannot open it. */
export const openSigningKey = (
  keyEncryptionKey: Uint8Array,
  { publicJwk, sealedPrivateKey, keyEncryptionKeyId: sealedUnder }: SealedSigningKey,
): KeyObject => {
  const { kid, alg } = publicJwk
  const id = keyEncryptionKeyId(keyEncryptionKey)
  if (id !== sealedUnder) {
    throw new Error(
      `Signing key ${kid} is sealed under the key-encryption key ${sealedUnder}, ` +
        `but the one given is ${id}. Set MINTMARK_KEY_ENCRYPTION_KEY to the key that the store was migrated with.`,
    )
  }
  const plain = unseal(keyEncryptionKey, sealedPrivateKey, kid)
  if (plain === undefined) {
    throw new Error(`Signing key ${kid} was changed in the store since it was sealed. Restore the store from a backup.`)
  }
  const key = createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' })
  const [own, published]: readonly Readonly<Record<string, string>>[] = [bareJwkOf(key, alg), publicJwk]
  if (own === undefined || Object.entries(own).some(([name, value]) => published?.[name] !== value)) {
    throw new Error(`Signing key ${kid} does not belong to the public key beside it. Restore the store from a backup.`)
  }
  return key
}
