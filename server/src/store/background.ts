// In this folder: what both databases share: statement programs, transactions, the lease of the clock, maintenance.
// Work that nobody waits for. A fault in it is reported and ends nothing: neither the thread that did it nor a request.
import { Unavailable } from '../domain/refusal.ts'

/** Each kind of such work, as the log names it. */
export const BACKGROUND_TASKS = [
  'audit seals',
  'backfill of revocations',
  'descendants of ended tokens',
  'evidence of use',
  'facts for metrics',
  'clock lease',
  'last uses of API keys',
  'last uses of sessions',
  'life of signing keys',
  'new signing key',
  'partitions',
  'positions of verifiers',
  'refusal counts',
  'opening of the revocation feed',
  'removal of ended sessions',
  'removal of facts of the revocation feed',
  'removal of silent verifiers',
  'removal of used proofs',
  'renewed sessions',
  'retention',
  'turn of maintenance',
  'usage counts',
  'writing thread',
] as const

export type BackgroundTask = (typeof BACKGROUND_TASKS)[number]

/** Receives faults of background work. Must not throw. */
export type OnFault = (task: BackgroundTask, fault: unknown) => void

/** Ignores faults: for a process that acts once, and a test of something else. */
export const IGNORE: OnFault = () => undefined

/**
 * Starts `work` and returns at once. A store that cannot be reached is no fault of the work: every request that needs it
 * and /readyz report it.
 */
export const inBackground = async (
  task: BackgroundTask,
  work: () => Promise<unknown>,
  onFault: OnFault,
): Promise<void> => {
  try {
    await work()
  } catch (fault) {
    if (!(fault instanceof Unavailable)) onFault(task, fault)
  }
}
