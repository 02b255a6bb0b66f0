// What any store can be asked to do that changes it. Each job is one intention, a statement program inside a transaction.
import type { MonotonicMilliseconds } from '../../../api/values/time.ts'
import { reportPositions } from './feed/report-positions.ts'
import { countRefusals } from './audit/refusals.ts'
import { endAllWithAudit, endToken } from './ledger/end-tokens.ts'
import { useAssertion } from './ledger/proofs.ts'
import { createRevocation } from './ledger/revocations.ts'
import { createAgent, disableAgent, enableAgent } from './repositories/agents.ts'
import { createApiKey, revokeApiKey, rotateApiKey } from './repositories/api-keys.ts'
import { changeAgent, deleteAgent } from './repositories/change-agent.ts'
import { createCredential, revokeCredential, rotateCredential } from './repositories/credentials.ts'
import { recordBackup } from './repositories/backups.ts'
import { convertSecret, importAgents } from './repositories/imports.ts'
import { noteApiKeyUses } from './repositories/last-uses.ts'
import { revokeLeaked } from './repositories/revoke-leaked.ts'
import { acceptRestored } from './repositories/suspensions.ts'
import type { Program } from './statement-program.ts'
import { countUsage } from './usage/count-usage.ts'
import { countUses } from './usage/count-uses.ts'
import { compromiseKey, createNextKey, importKey, retireKey, rotateKey } from './signing-keys/key-acts.ts'
import { createFirstKey } from './signing-keys/signing-keys.ts'
import {
  claimRenewal,
  createSession,
  endSession,
  noteSessionUse,
  releaseRenewal,
  renewSession,
} from './repositories/sessions.ts'

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
  countUsage,
  countUses,
  reportPositions,
  createSession,
  noteSessionUse,
  claimRenewal,
  releaseRenewal,
  renewSession,
  endSession,
  acceptRestored,
  recordBackup,
} as const

/** These refuse nothing and end nothing but what they name: no token that is being issued can be theirs. */
export const QUIET_JOBS = [
  'endToken',
  'useAssertion',
  'noteApiKeyUses',
  'countRefusals',
  'countUsage',
  'countUses',
  'reportPositions',
  'createSession',
  'noteSessionUse',
  'claimRenewal',
  'releaseRenewal',
  'renewSession',
  'endSession',
  'convertSecret',
  'recordBackup',
] as const satisfies readonly (keyof typeof JOBS)[]

/** What a statement program returns. */
export type OutputOf<S> = S extends Program<infer T> ? T : never

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1]
export type JobOutput<Name extends JobName> = OutputOf<ReturnType<(typeof JOBS)[Name]>>

type Jobs = Readonly<Record<string, (tx: never, input: never) => Program<unknown>>>

/** The statement program of a job. The table pairs each name with its input, which the compiler cannot follow. */
export const programOf = <Table extends Jobs, Name extends keyof Table>(
  table: Table,
  job: Name,
  tx: Parameters<Table[Name]>[0],
  input: Parameters<Table[Name]>[1],
): Program<OutputOf<ReturnType<Table[Name]>>> =>
  (table[job] as (...given: unknown[]) => Program<OutputOf<ReturnType<Table[Name]>>>)(tx, input)

export type Writer = {
  /** Durable once it is answered. What has not begun at `until` is not begun. */
  readonly call: <Name extends JobName>(
    job: Name,
    input: JobInput<Name>,
    until?: MonotonicMilliseconds,
  ) => Promise<JobOutput<Name>>
}
