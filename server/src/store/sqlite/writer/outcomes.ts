// Outcomes of inserts as one array of numbers between threads.
import type { LimitName } from '../../../../../api/values/limits.ts'
import type { InsertOutcome, LimitReached } from '../../../ports/ports.ts'

export const DECIDE_AGAIN = 0
export const INSERTED = 1
export const NO_ROOM = 2
const PROOF_USED = 3
const PROOF_LATE = 4
/** Where no limit is: its two lowest bits are none. */
const ASSERTION_USED = 8

/** Of tokens that were asked for with what may not be used. */
export const REFUSED = { proof_used: PROOF_USED, proof_late: PROOF_LATE, assertion_used: ASSERTION_USED } as const

const PLAIN = ['decide_again', 'inserted', 'no_room', 'proof_used', 'proof_late'] as const
const LIMITS: readonly LimitName[] = ['tokensPerMinute', 'tokensPerDay', 'liveTokensMax']

// Above the plain ones: the seconds, and in the two lowest bits the limit, from 1 on.
const BITS = 2

export const packReached = ({ limit, retryAfterSeconds }: LimitReached): number =>
  (retryAfterSeconds << BITS) | (LIMITS.indexOf(limit) + 1)

export const unpackOutcome = (packed: number): InsertOutcome => {
  const plain = PLAIN[packed]
  if (plain !== undefined) return plain
  if (packed === ASSERTION_USED) return 'assertion_used'
  const limit = LIMITS[(packed & 3) - 1]
  if (limit === undefined) throw new Error(`The writing thread answered the unknown outcome ${packed}.`)
  return { limit, retryAfterSeconds: packed >>> BITS }
}
