// The check of the audit log against its seals, under the key-encryption key that sealed it.
import { openFormerSealKey } from '../keys/at-rest/reencryption.ts'
import { auditSealKey } from '../keys/at-rest/sealed-bytes.ts'
import type { AuditSeals } from '../ports/audit-log.ts'
import type { StorePorts } from '../store/store-ports.ts'

/** What seals are checked with. */
export const sealKeysOf = (key: Uint8Array) => ({
  key: auditSealKey(key),
  openFormer: (sealed: Uint8Array, lastSeal: number) => openFormerSealKey(key, sealed, lastSeal),
})

export const auditSealsOf = (store: Pick<StorePorts, 'auditSealsUnder'>, key: Uint8Array): AuditSeals =>
  store.auditSealsUnder(sealKeysOf(key))
