// The lease of the clock: written ahead, so that after a restart no time comes before one that an answer told. No answer
// tells a time beyond it.
import { Unavailable } from '../domain/refusal.ts'
import type { Milliseconds } from '../domain/time.ts'
import { run, type Script } from './script.ts'
import type { Transaction } from './transaction.ts'

/** The lease is written ahead by so much, and renewed at half of it. */
export const LEASE_MS = 1000
/** A lease at most so far ahead of the clock is waited out at start. */
export const LEASE_WAIT_MS = 2000

/** From the renewal of a lease to the answer for which it was asked. */
const ANSWER_MS = 50

/**
 * Every transaction renews the lease where half of it has gone, but for those of a command, which writes none ahead; what
 * it reads must be answered at a time that one covers.
 */
export function* coverAnswer({ now }: Pick<Transaction, 'now'>): Script<null> {
  const until = now + ANSWER_MS
  yield* run('update service set clock_lease = ? where clock_lease < ?', until, until)
  return null
}

/** What an attempt gives whose time the lease does not cover. */
export const LATE = Symbol('the lease of the clock has run out')

const ATTEMPTS = 5

export type Lease = {
  /** Renews it; of all who ask meanwhile one does. */
  readonly renew: () => Promise<unknown>
  /** Whether an answer at `now` is covered. Where half of the lease has gone it is renewed, and nobody waits for that. */
  readonly covers: (now: Milliseconds, clockLease: Milliseconds) => boolean
  /** What the first attempt gives that is not late. */
  readonly answer: <T>(attempt: () => T | typeof LATE | Promise<T | typeof LATE>) => Promise<T>
}

/** `write` makes the lease cover what is answered next. */
export const makeLease = (write: () => Promise<unknown>): Lease => {
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
      if (now > clockLease - LEASE_MS / 2) renew().catch(() => undefined)
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
