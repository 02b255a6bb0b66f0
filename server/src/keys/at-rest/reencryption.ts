// Seals again under a new key-encryption key what the former one sealed, and keeps the former key of the audit log's seals for checks.
import type { SealedSigningKey } from '../../domain/keys/signing-key.ts'
import { auditSealKey, keyEncryptionKeyId, seal, unseal } from './sealed-bytes.ts'
import { openSigningKey, sealSigningKey } from '../tokens/signing-keys.ts'

const purposeOf = (lastSeal: number): string => `mintmark audit seals up to ${lastSeal}`

/** The kept key of the seals up to `lastSeal`; undefined where it was changed, or is sealed under another key. */
export const openFormerSealKey = (
  keyEncryptionKey: Uint8Array,
  sealed: Uint8Array,
  lastSeal: number,
): Uint8Array | undefined => unseal(keyEncryptionKey, sealed, purposeOf(lastSeal))

export const makeReencryption = (from: Uint8Array, to: Uint8Array) => ({
  fromId: keyEncryptionKeyId(from),
  toId: keyEncryptionKeyId(to),
  /** Throws, with what is wrong, where the key is not sealed under the former one. */
  signingKey: (key: SealedSigningKey): Uint8Array => {
    const { alg, kid } = key.publicJwk
    return sealSigningKey(to, openSigningKey(from, key), { alg, kid }).sealedPrivateKey
  },
  /** The key that made the seals up to this one. */
  sealKey: (lastSeal: number): Uint8Array => seal(to, auditSealKey(from), purposeOf(lastSeal)),
  /** Re-encrypts a former key of seals that is stored already. */
  formerSealKey: (sealed: Uint8Array, lastSeal: number): Uint8Array => {
    const plain = unseal(from, sealed, purposeOf(lastSeal))
    if (plain === undefined) throw new Error(`The key of the seals up to ${lastSeal} was changed in the store.`)
    return seal(to, plain, purposeOf(lastSeal))
  },
})
