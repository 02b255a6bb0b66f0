// What the writing thread can be asked to do. Each job is one intention inside a transaction that others may share.
import { createAgent, disableAgent, enableAgent } from './agents.ts'
import { createApiKey, revokeApiKey } from './api-keys.ts'
import { type EndAll, endAll, endToken } from './end-tokens.ts'
import { insertTokens } from './insert-tokens.ts'
import { createRevocation } from './revocations.ts'
import { createFirstKey } from './signing-keys.ts'
import type { Transaction } from './transaction.ts'

const endAllWithAudit = (tx: Transaction, all: EndAll): number => {
  const seq = endAll(tx, all)
  tx.audit(all.act, null, { seq, conditions: all.conditions, reason: all.reason })
  return seq
}

export const JOBS = {
  insertTokens,
  endToken,
  endAll: endAllWithAudit,
  createRevocation,
  createAgent,
  disableAgent,
  enableAgent,
  createApiKey,
  revokeApiKey,
  createFirstKey,
  /** Every transaction renews the lease of the clock where half of it has gone; this one does nothing else. */
  renewLease: (_tx: Transaction, _input: null): null => null,
  /** A durable write that proves the disk and changes nothing: SQLite writes this page even where the value is the same. */
  proveWrite: ({ sql }: Transaction, _input: null): null => {
    sql('pragma user_version = 0').run()
    return null
  },
} as const

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1]
export type JobOutput<Name extends JobName> = ReturnType<(typeof JOBS)[Name]>
