// The key of the audit log's seals, derived from the key-encryption key: who can write the store cannot forge a seal.
import { hkdfSync } from 'node:crypto'

const SEAL_KEY_BYTES = 32
const INFO = 'mintmark audit seal 1'

/** RFC 5869, with an info of its own: the key says nothing of the one that it comes from. */
export const auditSealKey = (keyEncryptionKey: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', keyEncryptionKey, new Uint8Array(0), INFO, SEAL_KEY_BYTES))
