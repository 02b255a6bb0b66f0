// Adds to the revocation feed what a transaction ends: the same commit makes both true. The lock that orders acts orders positions.
import type { CutOffFact } from '../../domain/ledger/cut-off-fact.ts'
import type { CutOff } from '../../domain/ledger/ledger.ts'
import { LIFETIME_SECONDS_MAX } from '../../../../api/values/limits.ts'
import type { Milliseconds, Seconds } from '../../../../api/values/time.ts'
import { expiryOf, type TokenRow } from '../ledger/token-rows.ts'
import { only, run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'
import { nameConditions, tailBytes } from './fact-names.ts'

/** Clocks of processes that share a database may be so far apart, and the second of an expiry is rounded. */
const CLOCKS_APART_SECONDS = 4
/** Tokens of one fact, so that a page of whole positions is never much larger than it should be. */
export const TAILS_MAX = 4096

const TAKE = 'update service set feed_position = feed_position + ?, last_at = ? returning feed_position as last'
const INSERT = 'insert into fact (position, until, tails, cutoff) values (?, ?, ?, ?)'

type Moment = Pick<Transaction, 'now'>

/** Takes so many positions, which follow one another, and stamps the time; returns the first of them. */
function* takePositions({ now }: Moment, count: number): Program<number> {
  return (yield* only<{ last: number }>(TAKE, count, now)).last - count + 1
}

type Ended = Pick<TokenRow, 'id' | 'life'>

/** The tails of tokens that end one by one, as many to a fact as it may hold. */
const tailsOf = (rows: readonly Ended[]) =>
  [...Map.groupBy(rows, expiryOf)].flatMap(([until, some]) =>
    Array.from({ length: Math.ceil(some.length / TAILS_MAX) }, (_, n) => {
      const ended = some.slice(n * TAILS_MAX, (n + 1) * TAILS_MAX)
      return { until, tails: Buffer.concat(ended.map(({ id }) => tailBytes(id))) }
    }),
  )

/** Adds tokens that this transaction ends one by one, not those that follow another end. */
export function* appendEnds(moment: Moment, rows: readonly Ended[]): Program<void> {
  if (rows.length === 0) return
  const facts = tailsOf(rows)
  const first = yield* takePositions(moment, facts.length)
  for (const [n, { until, tails }] of facts.entries()) yield* run(INSERT, first + n, until, tails, null)
}

const LONGEST = 'select coalesce(max(life), 0) as life from lifetime'

/**
 * No token that was decided on before a cut-off at `at` expires later: it is of a lifetime that was in use at that time. What covers every
 * token may also be of a store that was put back, and end tokens of which this one knows nothing.
 */
function* lastExpiry(at: Milliseconds, isOfKnown: boolean): Program<Seconds> {
  const life = isOfKnown ? (yield* only<{ life: number }>(LONGEST)).life : LIFETIME_SECONDS_MAX
  return Math.ceil(at / 1000) + life + CLOCKS_APART_SECONDS
}

const appendFact = function* (moment: Moment, fact: CutOffFact): Program<number> {
  const position = yield* takePositions(moment, 1)
  yield* run(INSERT, position, fact.until, null, JSON.stringify(fact))
  return position
}

/** Adds a cut-off; the position from which on all of it is known. */
export function* appendCutOff(moment: Moment, cutOff: CutOff): Program<number> {
  const named = yield* nameConditions(cutOff)
  // Where a clock was far ahead, tokens expire by that clock.
  const until = yield* lastExpiry(
    Math.max(moment.now, cutOff.at),
    named.some(one => Object.keys(one).length > 0),
  )
  let position = 0
  for (const one of named) position = yield* appendFact(moment, { seq: cutOff.seq, until, ...one })
  return position
}

/** Says that what ended before `seq` may not be in the feed. */
export const appendOpening = (moment: Moment, seq: number): Program<number> =>
  appendFact(moment, {
    seq,
    until: Math.ceil(moment.now / 1000) + LIFETIME_SECONDS_MAX + CLOCKS_APART_SECONDS,
    opened: true,
  })
