// Removes facts of the revocation feed that concern no token any more. A follower at an earlier position misses nothing.
import type { Milliseconds } from '../../../../api/values/time.ts'
import { first, run, type Program } from '../statement-program.ts'

/** How long a fact is kept beyond its time, so that a verifier whose requests are under way still finds it. */
const KEPT_SECONDS = 60
const STEP_ROWS = 500

const lastOver = (now: Milliseconds): number => Math.floor(now / 1000) - KEPT_SECONDS

const OLD = 'select 1 as found from fact where until < ? limit 1'
const REMOVE = 'delete from fact where n in (select n from fact where until < ? order by until limit ?)'

export function* areFactsOver(now: Milliseconds): Program<boolean> {
  return (yield* first(OLD, lastOver(now))) !== undefined
}

/** Removes facts in one step. Returns whether there may be more to do. */
export function* removeFacts(now: Milliseconds): Program<'more' | 'nothing_left'> {
  return (yield* run(REMOVE, lastOver(now), STEP_ROWS)) < STEP_ROWS ? 'nothing_left' : 'more'
}
