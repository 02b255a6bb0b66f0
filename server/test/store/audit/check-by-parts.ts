// A check of the whole audit log by parts, as requests make it, each from where the one before ended.
import assert from 'node:assert/strict'
import type { AuditVerdict } from '../../../src/domain/audit/seal.ts'
import { checkPart } from '../../../src/store/audit/check-part.ts'
import type { Program } from '../../../src/store/statement-program.ts'
import type { Transaction } from '../../../src/store/transaction.ts'

/** What a check by parts says too. */
export const comparable = (verdict: AuditVerdict): object => {
  if (verdict.good) {
    const { good, entries, seals, unsealed } = verdict
    return { good, entries, seals, unsealed }
  }
  const { good, entry, tampering, because } = verdict
  return { good, entry, tampering, because }
}

export function* checkByParts(key: Uint8Array, lastGiven: Transaction['lastGiven']): Program<object> {
  for (let after = 0; ; ) {
    const part = yield* checkPart({ key, openFormer: () => undefined }, after, lastGiven)
    assert.ok(part !== 'unknown')
    if (!part.good) return comparable(part)
    const { good, seal: seals, entry: entries, unsealed } = part
    if (unsealed !== null) return { good, entries, seals, unsealed }
    assert.ok(seals > after)
    after = seals
  }
}
