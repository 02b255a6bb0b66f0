// What the writing thread can be asked to do. Each job is one intention inside a transaction that others may share.
import { createAgent, disableAgent, enableAgent } from '../registers/agents.ts'
import { createApiKey, revokeApiKey, rotateApiKey } from '../registers/api-keys.ts'
import { changeAgent, deleteAgent } from '../registers/change-agent.ts'
import { createCredential, revokeCredential, rotateCredential } from '../registers/credentials.ts'
import { type EndAll, endAll, endToken } from '../ledger/end-tokens.ts'
import { convertSecret, importAgents } from '../registers/imports.ts'
import { insertTokens } from './insert-tokens.ts'
import { compromiseKey, createNextKey, importKey, retireKey, rotateKey } from '../signing-keys/key-acts.ts'
import { noteApiKeyUses } from '../registers/last-uses.ts'
import { useAssertion } from '../ledger/proofs.ts'
import { countRefusals } from '../audit/refusals.ts'
import { createRevocation } from '../ledger/revocations.ts'
import { revokeLeaked } from '../registers/revoke-leaked.ts'
import { createFirstKey } from '../signing-keys/signing-keys.ts'
import type { Transaction } from './transaction.ts'

const endAllWithAudit = (tx: Transaction, all: EndAll): number => {
  const seq = endAll(tx, all)
  tx.audit(all.act, null, { seq, conditions: all.conditions, reason: all.reason })
  return seq
}

/** From the renewal of a lease to the answer for which it was asked. */
const ANSWER_MS = 50

export const JOBS = {
  insertTokens,
  useAssertion,
  endToken,
  endAll: endAllWithAudit,
  createRevocation,
  createAgent,
  changeAgent,
  deleteAgent,
  disableAgent,
  enableAgent,
  createCredential,
  rotateCredential,
  revokeCredential,
  revokeLeaked,
  importAgents,
  convertSecret,
  createApiKey,
  rotateApiKey,
  revokeApiKey,
  noteApiKeyUses,
  createFirstKey,
  createNextKey,
  importKey,
  rotateKey,
  retireKey,
  compromiseKey,
  countRefusals,
  /** Every transaction renews the lease of the clock where half of it has gone; this one does nothing else. */
  renewLease: ({ sql, now }: Transaction, _input: null): null => {
    // The process of a command writes no lease ahead, but what it reads must be answered at a time that one covers.
    sql('update service set clock_lease = max(clock_lease, ?)').run(now + ANSWER_MS)
    return null
  },
  /** A durable write that proves the disk and changes nothing: SQLite writes this page even where the value is the same. */
  proveWrite: ({ sql }: Transaction, _input: null): null => {
    sql('pragma user_version = 0').run()
    return null
  },
} as const

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1]
export type JobOutput<Name extends JobName> = ReturnType<(typeof JOBS)[Name]>
