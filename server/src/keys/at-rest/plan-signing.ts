// Signs plans of revocations, by a key that all processes of a service derive from its key-encryption key.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Signing } from '../../domain/ledger/plan.ts'
import { deriveKey } from './sealed-bytes.ts'

const PLAN_KEY = 'mintmark revocation plan 1'

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
