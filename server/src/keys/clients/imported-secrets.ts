// Secrets that another server made: kept under a key of their own, and proved against its hashes on a thread of its own.
import { createHmac, hkdfSync } from 'node:crypto'
import type { ImportedSecrets } from '../../ports/imports.ts'
import { makeForeignHashVerifier } from './foreign-hash-verifier.ts'

const PEPPER_BYTES = 32
const INFO = 'mintmark imported secrets 1'

export const makeImportedSecrets = (keyEncryptionKey: Uint8Array): ImportedSecrets => {
  // RFC 5869, with an info of its own: it says nothing of the key that it comes from.
  const pepper = new Uint8Array(hkdfSync('sha256', keyEncryptionKey, new Uint8Array(0), INFO, PEPPER_BYTES))
  return {
    hash: secret => createHmac('sha256', pepper).update(secret, 'utf8').digest('hex'),
    verify: makeForeignHashVerifier(),
  }
}
