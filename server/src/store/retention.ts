// Retention: what has been kept long enough goes, oldest first, in steps so small that no request waits for one.
import { IDEMPOTENCY_KEPT_MS } from '../domain/idempotency.ts'
import { DAY_MS, type Milliseconds } from '../../../api/values/time.ts'
import { hasCascades } from './ledger/cascades.ts'
import { readLifetimes } from './ledger/scan-affected-rows.ts'
import { spanAt } from './lists/audience-spans.ts'
import { MINUTE_MS } from './lists/ended-minutes.ts'
import { first, run, type Program } from './statement-program.ts'
import { REMOVES } from './subjects.ts'
import type { Transaction } from './transaction.ts'

export const RETENTION_ROWS = 500

export type Retention = {
  /** How long a token that only expired is kept after its expiry. */
  readonly expiredMs: number
  /** How long every other ended token is kept after its end. */
  readonly endedMs: number
}

/** How a store removes tokens; each returns how much it removed, 0 where nothing is left to remove. */
type TokenRemoval = {
  readonly removeExpired: (tx: Transaction, life: number, retention: Retention) => Program<number>
  /** Removes tokens that were ended before a time. */
  readonly removeEnded: (tx: Transaction, before: Milliseconds) => Program<number>
}

function* dropIdleLifetime(life: number): Program<void> {
  if ((yield* first('select 1 as found from token where life = ? limit 1', life)) !== undefined) return
  yield* run('delete from lifetime where life = ?', life)
}

// Only once every token that was ended in them is gone: a scan would step over those that are left.
const MINUTES = `delete from ended_minute
  where minute in (select minute from ended_minute where minute < ? order by minute limit ?)`

const removeMinutes = (before: Milliseconds): Program<number> =>
  run(MINUTES, Math.floor(before / MINUTE_MS), RETENTION_ROWS)

/** How long the counts of refused authentications are kept. */
const REFUSALS_KEPT_MS = 30 * DAY_MS

const UNUSED_SCOPES = 'select n from scope_set where used_day < ? order by n limit ?'
const UNUSED_AUDIENCES = 'select n from audience_set where used_day < ? order by n limit ?'

// Of sets that are used, too: no token of that time is left.
const OLD_SPANS = `delete from audience_span where (aud, span) in
  (select aud, span from audience_span where span < ? order by span limit ?)`

const UNUSED_LINEAGES = 'select n from lineage where used_day < ? order by n limit ?'

const UNUSED_PRINCIPALS = 'select n from principal where used_day < ? order by used_day limit ?'

const OLD_ACTS = 'delete from act where n in (select n from act where at < ? order by at limit ?)'
const OLD_REFUSALS = 'delete from refused where n in (select n from refused where at < ? order by at limit ?)'
const OLD_KEYS = `delete from idempotency
  where (actor, key) in (select actor, key from idempotency where at <= ? order by at limit ?)`

function* removeUnused({ now }: Transaction, before: Milliseconds, retention: Retention): Program<number> {
  const lastUse = now - Math.max(retention.endedMs, retention.expiredMs) - 2 * DAY_MS
  const day = Math.floor(lastUse / DAY_MS)
  const removed = [
    yield* run(OLD_ACTS, before, RETENTION_ROWS),
    yield* run(`delete from scope_set_item where n in (${UNUSED_SCOPES})`, day, RETENTION_ROWS),
    yield* run(`delete from scope_set where n in (${UNUSED_SCOPES})`, day, RETENTION_ROWS),
    yield* run(`delete from audience_set where n in (${UNUSED_AUDIENCES})`, day, RETENTION_ROWS),
    yield* run(OLD_SPANS, spanAt(lastUse), RETENTION_ROWS),
    yield* run(`delete from lineage_ancestor where n in (${UNUSED_LINEAGES})`, day, RETENTION_ROWS),
    yield* run(`delete from lineage where n in (${UNUSED_LINEAGES})`, day, RETENTION_ROWS),
    yield* run(`delete from principal where n in (${UNUSED_PRINCIPALS})`, day, RETENTION_ROWS),
    yield* run(`delete from cutoff where state = 'closed' and at < ?`, before),
    yield* run(OLD_REFUSALS, now - REFUSALS_KEPT_MS, RETENTION_ROWS),
    yield* run(OLD_KEYS, now - IDEMPOTENCY_KEPT_MS, RETENTION_ROWS),
  ]
  for (const remove of REMOVES) removed.push(yield* remove({ now }, RETENTION_ROWS))
  return removed.reduce((sum, count) => sum + count, 0)
}

function* isUnderWay(): Program<boolean> {
  return (
    (yield* first(`select 1 as found from cutoff where state = 'open' limit 1`)) !== undefined || (yield* hasCascades())
  )
}

/** One step. While rows of ended tokens have yet to follow nothing is removed, so that each gets its record first. */
export const makeRetentionStep = ({ removeExpired, removeEnded }: TokenRemoval) =>
  function* (tx: Transaction, retention: Retention): Program<'more' | 'nothing_left'> {
    if (yield* isUnderWay()) return 'nothing_left'
    for (const life of yield* readLifetimes()) {
      if ((yield* removeExpired(tx, life, retention)) > 0) return 'more'
      yield* dropIdleLifetime(life)
    }
    const before = tx.now - retention.endedMs
    if ((yield* removeEnded(tx, before)) > 0 || (yield* removeMinutes(before)) > 0) return 'more'
    const removed = yield* removeUnused(tx, before, retention)
    if (removed > 0) tx.sets.forget()
    return removed >= RETENTION_ROWS ? 'more' : 'nothing_left'
  }
