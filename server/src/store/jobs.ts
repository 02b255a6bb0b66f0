// What any store can be asked to do that changes it. Each job is one intention, a script inside a transaction.
import type { MonotonicMilliseconds } from '../domain/time.ts'
import { countRefusals } from './audit/refusals.ts'
import { endAllWithAudit, endToken } from './ledger/end-tokens.ts'
import { useAssertion } from './ledger/proofs.ts'
import { createRevocation } from './ledger/revocations.ts'
import { createAgent, disableAgent, enableAgent } from './registers/agents.ts'
import { createApiKey, revokeApiKey, rotateApiKey } from './registers/api-keys.ts'
import { changeAgent, deleteAgent } from './registers/change-agent.ts'
import { createCredential, revokeCredential, rotateCredential } from './registers/credentials.ts'
import { convertSecret, importAgents } from './registers/imports.ts'
import { noteApiKeyUses } from './registers/last-uses.ts'
import { revokeLeaked } from './registers/revoke-leaked.ts'
import { acceptRestored } from './restore/suspensions.ts'
import type { Script } from './script.ts'
import { compromiseKey, createNextKey, importKey, retireKey, rotateKey } from './signing-keys/key-acts.ts'
import { createFirstKey } from './signing-keys/signing-keys.ts'

export const JOBS = {
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
  acceptRestored,
} as const

/** What a script gives at its end. */
export type Given<S> = S extends Script<infer T> ? T : never

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1]
export type JobOutput<Name extends JobName> = Given<ReturnType<(typeof JOBS)[Name]>>

type Jobs = Readonly<Record<string, (tx: never, input: never) => Script<unknown>>>

/** The script of a job. The table pairs each name with its input, which the compiler cannot follow. */
export const scriptOf = <Table extends Jobs, Name extends keyof Table>(
  table: Table,
  job: Name,
  tx: Parameters<Table[Name]>[0],
  input: Parameters<Table[Name]>[1],
): Script<Given<ReturnType<Table[Name]>>> =>
  (table[job] as (...given: unknown[]) => Script<Given<ReturnType<Table[Name]>>>)(tx, input)

export type Writer = {
  /** Durable once it is answered. What has not begun at `until` is not begun. */
  readonly call: <Name extends JobName>(
    job: Name,
    input: JobInput<Name>,
    until?: MonotonicMilliseconds,
  ) => Promise<JobOutput<Name>>
}
