// In this folder: the cryptography of clients: secrets, assertions, DPoP proofs, certificates. operations/ decides what clients may do.
// bcrypt, only to verify hashes that another server made: docs/decisions/archive/0112-bcryptjs.md. It takes 50 ms and more: not for a
// serving thread.
import { timingSafeEqual } from 'node:crypto'
import { hashSync } from 'bcryptjs'

const FORM = /^(\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/
const DIGEST_CHARACTERS = 31

/**
 * Whether the hash is of the secret, of which bcrypt reads 72 bytes. A text that is no bcrypt hash is of none. The salt is not compared: a text of
 * it may have bits that bcrypt ignores, and the package writes them as zeros.
 */
export const opensBcrypt = (secret: string, hash: string): boolean => {
  const [, setting, digest] = FORM.exec(hash) ?? []
  if (setting === undefined || digest === undefined) return false
  return timingSafeEqual(Buffer.from(hashSync(secret, setting).slice(-DIGEST_CHARACTERS)), Buffer.from(digest))
}
