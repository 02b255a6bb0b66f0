// Signing keys at rest: each sealed under the key-encryption key from the moment it is made.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { SealedSigningKey } from '../../domain/keys/signing-key.ts'
import type { SigningAlgorithm } from '../../../../api/values/algorithms.ts'
import type { SigningKeyMaker } from '../../ports/signing-keys.ts'
import { readPrivateKey } from '../at-rest/read-private-key.ts'
import { keyEncryptionKeyId, seal, unseal } from '../at-rest/sealed-bytes.ts'
import { ALGORITHMS, bareJwkOf } from './signing-algorithms.ts'
import { thumbprintOf } from './thumbprint.ts'

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
    // The kid is authenticated with the key, so that a sealed key cannot be moved to the row of another.
    sealedPrivateKey: seal(keyEncryptionKey, privateKey.export({ format: 'der', type: 'pkcs8' }), publicJwk.kid),
    keyEncryptionKeyId: keyEncryptionKeyId(keyEncryptionKey),
  }
}

export const makeSigningKey = (keyEncryptionKey: Uint8Array, alg: SigningAlgorithm = 'ES256'): SealedSigningKey =>
  sealSigningKey(keyEncryptionKey, ALGORITHMS[alg].make().privateKey, { alg })

/** Generates a key without blocking this thread, for one that serves. */
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

/** Makes signing keys of the configured algorithm, and reads those of others; returns either only sealed. */
export const makeSigningKeyMaker = (keyEncryptionKey: Uint8Array, alg: SigningAlgorithm): SigningKeyMaker => ({
  make: () => generateSigningKey(keyEncryptionKey, alg),
  read: (given, kid) => {
    const read = readPrivateKey(given, kid, alg)
    if ('wrong' in read) return read
    return sealSigningKey(keyEncryptionKey, read.privateKey, { alg, kid: read.kid ?? undefined })
  },
})
