// What each subject has in every store, one row each: the jobs that change it, what is forgotten of it between requests, what retention
// removes, and what is dropped when the clock is set back. Jobs, maintenance, retention and that reset are made of these rows.
import type { Milliseconds, MonotonicMilliseconds } from '../../../api/values/time.ts'
import { countRefusals } from './audit/refusals.ts'
import type { BackgroundTask } from './background.ts'
import { areFactsOver, removeFacts } from './feed/append-facts.ts'
import { areVerifiersGone, dropAllVerifiers, removeVerifiers, reportPositions } from './feed/report-positions.ts'
import { endAllWithAudit, endToken } from './ledger/end-tokens.ts'
import { dropAllIssueCounts } from './ledger/issue-counts.ts'
import { areProofsOld, forgetProofs, useAssertion } from './ledger/proofs.ts'
import { createRevocation } from './ledger/revocations.ts'
import { createAgent, disableAgent, enableAgent } from './repositories/agents.ts'
import { createApiKey, revokeApiKey, rotateApiKey } from './repositories/api-keys.ts'
import { recordBackup } from './repositories/backups.ts'
import { changeAgent, deleteAgent } from './repositories/change-agent.ts'
import { blockSubject, removeOfDeleted, unblockSubject } from './repositories/blocked-subjects.ts'
import { createCredential, revokeCredential, rotateCredential } from './repositories/credentials.ts'
import { convertSecret, importAgents } from './repositories/imports.ts'
import { changeIssuer, createIssuer, deleteIssuer, disableIssuer, enableIssuer } from './repositories/issuers.ts'
import { noteApiKeyUses } from './repositories/last-uses.ts'
import { revokeForIssuer } from './repositories/revoke-for-issuer.ts'
import { revokeLeaked } from './repositories/revoke-leaked.ts'
import {
  areSessionsOver,
  claimRenewal,
  createSession,
  dropAllSessions,
  endSession,
  noteSessionUse,
  releaseRenewal,
  removeSessions,
  renewSession,
} from './repositories/sessions.ts'
import { applyRecord } from './repositories/managed/apply-record.ts'
import { acceptRestored } from './repositories/suspensions.ts'
import { compromiseKey, createNextKey, importKey, retireKey, rotateKey } from './signing-keys/key-acts.ts'
import { createFirstKey } from './signing-keys/signing-keys.ts'
import type { Program } from './statement-program.ts'
import type { Transaction } from './transaction.ts'
import { dropAllReasons, removeOldReasons } from './usage/issuing/count-reasons.ts'
import { countUsage, dropAllUsage, removeOldUsage } from './usage/issuing/count-usage.ts'
import { countUses, dropAllUses, removeOldUses } from './usage/evidence/count-uses.ts'

type Job = {
  readonly program: (tx: never, input: never) => Program<unknown>
  /** It refuses nothing and ends nothing but what it names: no token that is being issued can be theirs. */
  readonly isQuiet: boolean
}

export const quiet = <P extends Job['program']>(program: P) => ({ program, isQuiet: true }) as const
export const act = <P extends Job['program']>(program: P) => ({ program, isQuiet: false }) as const

/** What is forgotten every few seconds, and while there is more at once. */
export type Forgetting = {
  readonly name: BackgroundTask
  readonly step: (tx: Transaction) => Program<'more' | 'nothing_left'>
  readonly areOld: (now: Milliseconds) => Program<boolean>
}

type Subject = {
  readonly jobs: Readonly<Record<string, Job>>
  readonly forgets?: readonly Forgetting[]
  /** What has been kept long enough, at most so many rows: how many it removed. */
  readonly removes?: readonly ((tx: Pick<Transaction, 'now'>, rowsMax: number) => Program<number>)[]
  /** What was written by a clock that is set back, and would lie in the future. */
  readonly drops?: readonly (() => Program<number>)[]
}

const SUBJECTS = [
  {
    jobs: {
      useAssertion: quiet(useAssertion),
      endToken: quiet(endToken),
      endAll: act(endAllWithAudit),
      createRevocation: act(createRevocation),
      revokeForIssuer: act(revokeForIssuer),
    },
    forgets: [
      { name: 'removal of used proofs', step: forgetProofs, areOld: (now: Milliseconds) => areProofsOld({ now }) },
    ],
    drops: [dropAllIssueCounts],
  },
  {
    jobs: {
      createAgent: act(createAgent),
      changeAgent: act(changeAgent),
      deleteAgent: act(deleteAgent),
      disableAgent: act(disableAgent),
      enableAgent: act(enableAgent),
    },
  },
  {
    jobs: {
      createCredential: act(createCredential),
      rotateCredential: act(rotateCredential),
      revokeCredential: act(revokeCredential),
      revokeLeaked: act(revokeLeaked),
      importAgents: act(importAgents),
      applyRecord: act(applyRecord),
      convertSecret: quiet(convertSecret),
    },
  },
  {
    jobs: {
      createApiKey: act(createApiKey),
      rotateApiKey: act(rotateApiKey),
      revokeApiKey: act(revokeApiKey),
      noteApiKeyUses: quiet(noteApiKeyUses),
      countRefusals: quiet(countRefusals),
    },
  },
  {
    jobs: {
      createIssuer: act(createIssuer),
      changeIssuer: act(changeIssuer),
      disableIssuer: act(disableIssuer),
      enableIssuer: act(enableIssuer),
      deleteIssuer: act(deleteIssuer),
      blockSubject: act(blockSubject),
      unblockSubject: act(unblockSubject),
    },
    removes: [removeOfDeleted],
  },
  {
    jobs: {
      createFirstKey: act(createFirstKey),
      createNextKey: act(createNextKey),
      importKey: act(importKey),
      rotateKey: act(rotateKey),
      retireKey: act(retireKey),
      compromiseKey: act(compromiseKey),
    },
  },
  {
    jobs: { countUsage: quiet(countUsage), countUses: quiet(countUses) },
    removes: [removeOldUsage, removeOldReasons, removeOldUses],
    drops: [dropAllUsage, dropAllReasons, dropAllUses],
  },
  {
    jobs: { reportPositions: quiet(reportPositions) },
    forgets: [
      {
        name: 'removal of facts of the revocation feed',
        step: ({ now }: Transaction) => removeFacts(now),
        areOld: areFactsOver,
      },
      {
        name: 'removal of silent verifiers',
        step: ({ now }: Transaction) => removeVerifiers(now),
        areOld: areVerifiersGone,
      },
    ],
    drops: [dropAllVerifiers],
  },
  {
    jobs: {
      createSession: quiet(createSession),
      noteSessionUse: quiet(noteSessionUse),
      claimRenewal: quiet(claimRenewal),
      releaseRenewal: quiet(releaseRenewal),
      renewSession: quiet(renewSession),
      endSession: quiet(endSession),
    },
    forgets: [{ name: 'removal of ended sessions', step: removeSessions, areOld: areSessionsOver }],
    drops: [dropAllSessions],
  },
  { jobs: { acceptRestored: act(acceptRestored), recordBackup: quiet(recordBackup) } },
] as const satisfies readonly Subject[]

const ROWS: readonly Subject[] = SUBJECTS

export const FORGETS = ROWS.flatMap(({ forgets = [] }) => forgets)
export const REMOVES = ROWS.flatMap(({ removes = [] }) => removes)
export const DROPS = ROWS.flatMap(({ drops = [] }) => drops)

type Merged<Each> = (Each extends unknown ? (one: Each) => void : never) extends (all: infer All) => void ? All : never

export const JOBS = Object.assign({}, ...SUBJECTS.map(({ jobs }) => jobs)) as Merged<(typeof SUBJECTS)[number]['jobs']>

/** What a statement program returns. */
export type OutputOf<S> = S extends Program<infer T> ? T : never

type Jobs = Readonly<Record<string, { readonly program: (tx: never, input: never) => Program<unknown> }>>

export type InputIn<Table extends Jobs, Name extends keyof Table> = Parameters<Table[Name]['program']>[1]
export type OutputIn<Table extends Jobs, Name extends keyof Table> = OutputOf<ReturnType<Table[Name]['program']>>

export type JobName = keyof typeof JOBS
export type JobInput<Name extends JobName> = InputIn<typeof JOBS, Name>
export type JobOutput<Name extends JobName> = OutputIn<typeof JOBS, Name>

/** The statement program of a job. The table pairs each name with its input, which the compiler cannot follow. */
export const programOf = <Table extends Jobs, Name extends keyof Table>(
  table: Table,
  job: Name,
  tx: Parameters<Table[Name]['program']>[0],
  input: InputIn<Table, Name>,
): Program<OutputIn<Table, Name>> =>
  ((table[job] as Table[Name]).program as (...given: unknown[]) => Program<OutputIn<Table, Name>>)(tx, input)

export type Writer = {
  /** Durable once it is answered. What has not begun at `until` is not begun. */
  readonly call: <Name extends JobName>(
    job: Name,
    input: JobInput<Name>,
    until?: MonotonicMilliseconds,
  ) => Promise<JobOutput<Name>>
}
