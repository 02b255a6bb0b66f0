// The lease of the clock: written ahead, so that after a restart no time comes before one in an earlier answer. No answer
// contains a time beyond it.
import { Unavailable } from '../domain/refusal.ts'
import type { Milliseconds } from '../../../api/values/time.ts'
import { inBackground, type OnFault } from './background.ts'
import { run, type Program } from './statement-program.ts'
import { StoreProblem } from './store-problem.ts'
import type { Transaction } from './transaction.ts'

/** The lease is written ahead by so much, and renewed at half of it. */
export const LEASE_MS = 1000
/** A lease at most so far ahead of the clock is waited out at start. */
export const LEASE_WAIT_MS = 2000

/** How far a clock may step ahead of what was counted on by steady time, and the lease be ahead of it at start. */
export const CLOCK_OFF_MS_MAX = 60_000
/**
 * Steps ahead are added up for so long. A machine that is paused for a few seconds each night has a clock that is right
 * all the same, and must not be taken for one that jumped after weeks.
 */
export const CLOCK_STEPS_MS = 3_600_000

export type Wait = (ms: number) => Promise<void>

/**
 * Waits at start for a clock that is behind the lease by `ahead` ms; returns how long it waited. `wait` is null in a process
 * that acts once. Throws StoreProblem where the clock, which a message calls the clock of `whose`, is too far behind.
 */
export const awaitLease = async (ahead: number, wait: Wait | null, whose: string): Promise<number> => {
  if (ahead > CLOCK_OFF_MS_MAX) {
    throw new StoreProblem(
      `The clock of ${whose} is ${Math.round(ahead / 1000)} s behind the store's: correct it, or end all tokens and start anew with 'mintmark clock reset'.`,
    )
  }
  if (wait === null || ahead <= 0) return 0
  // A verifier without leeway refuses a token whose `iat` lies in its future. A lease further ahead is not waited out,
  // but so much that starts one after another do not carry it on.
  const waited = ahead <= LEASE_WAIT_MS ? ahead : LEASE_MS
  await wait(waited)
  return waited
}

/** The time from the renewal of a lease to the response for which it was requested. */
const ANSWER_MS = 50

/**
 * Every transaction renews the lease where half of it has gone, but for those of a command, which writes none ahead; what
 * it reads must be answered at a time that one covers.
 */
export function* coverAnswer({ now }: Pick<Transaction, 'now'>): Program<null> {
  const until = now + ANSWER_MS
  yield* run('update service set clock_lease = ? where clock_lease < ?', until, until)
  return null
}

/** The result of an attempt whose time the lease does not cover. */
export const LATE = Symbol('the lease of the clock has run out')

const ATTEMPTS = 5

export type Lease = {
  /** Renews the lease. Callers that ask during a renewal share it. */
  readonly renew: () => Promise<unknown>
  /** Whether an answer at `now` is covered. Where half of the lease has gone it is renewed, and nobody waits for that. */
  readonly covers: (now: Milliseconds, clockLease: Milliseconds) => boolean
  /** Returns the result of the first attempt that is not late. */
  readonly answer: <T>(attempt: () => T | typeof LATE | Promise<T | typeof LATE>) => Promise<T>
}

/** `write` makes the lease cover what is answered next. */
export const makeLease = (write: () => Promise<unknown>, onFault: OnFault): Lease => {
  let renewing: Promise<unknown> | undefined

  const renew = (): Promise<unknown> => {
    renewing ??= write().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  return {
    renew,
    covers: (now, clockLease) => {
      if (now > clockLease) return false
      if (now > clockLease - LEASE_MS / 2) void inBackground('clock lease', renew, onFault)
      return true
    },
    answer: async attempt => {
      for (let n = 0; n < ATTEMPTS; n += 1) {
        const answer = await attempt()
        if (answer !== LATE) return answer
        await renew()
      }
      throw new Unavailable('The lease of the clock could not be renewed in time.')
    },
  }
}
