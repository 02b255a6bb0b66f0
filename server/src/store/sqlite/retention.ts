// Retention: what has been kept long enough goes, oldest first, in steps so small that no request waits for one.
import { IDEMPOTENCY_KEPT_MS } from '../../domain/idempotency.ts'
import { REASONS } from '../../domain/reason.ts'
import { DAY_MS } from '../../domain/time.ts'
import { lowestIdAt } from '../../domain/token-id.ts'
import { MINUTE_MS } from '../lists/ended-minutes.ts'
import { bytesOfId } from './rows.ts'
import type { Transaction } from './transaction.ts'
import { lifetimesOf } from '../ledger/walk.ts'

export const RETENTION_ROWS = 500

export type Retention = {
  /** How long a token that only expired is kept after its expiry. */
  readonly expiredMs: number
  /** How long every other ended token is kept after its end. */
  readonly endedMs: number
}

const removeExpired = ({ sql, now }: Transaction, life: number, { expiredMs }: Retention): number => {
  // The last second whose tokens of this lifetime expired at least `expiredMs` ago.
  const bound = lowestIdAt(1000 * (Math.floor((now - expiredMs) / 1000) - life + 1))
  const select = 'select id from token where life = ? and id < ? order by id limit ?'
  const rows = sql<{ id: Buffer }>(select).all(life, bytesOfId(bound), RETENTION_ROWS)
  for (const { id } of rows) sql('delete from token where life = ? and id = ?').run(life, id)
  return rows.length
}

const dropIdleLifetime = ({ sql }: Transaction, life: number): void => {
  if (sql('select 1 from token where life = ? limit 1').get(life) !== undefined) return
  sql('delete from lifetime where life = ?').run(life)
}

const removeEnded = ({ sql }: Transaction, before: number): number => {
  const select = 'select id from ended where reason = ? and at < ? order by at, id limit ?'
  let removed = 0
  for (const reason of Object.values(REASONS)) {
    const rows = sql<{ id: Buffer }>(select).all(reason, before, RETENTION_ROWS - removed)
    for (const { id } of rows) sql('delete from ended where id = ?').run(id)
    removed += rows.length
    if (removed >= RETENTION_ROWS) break
  }
  return removed
}

// Only once every token that was ended in them is gone: a walk would step over those that are left.
const removeMinutes = ({ sql }: Transaction, before: number): number => {
  const select = 'select minute from ended_minute where minute < ? order by minute limit ?'
  const remove = sql(`delete from ended_minute where minute in (${select})`)
  return remove.run(Math.floor(before / MINUTE_MS), RETENTION_ROWS).changes
}

const UNUSED_SCOPES = 'select n from scope_set where used_day < ? order by n limit ?'
const UNUSED_AUDIENCES = 'select n from audience_set where used_day < ? order by n limit ?'

/** How long the counts of refused authentications are kept. */
export const REFUSALS_KEPT_MS = 30 * DAY_MS

const OLD_REFUSALS = 'delete from refused where n in (select n from refused where at < ? order by at limit ?)'
const OLD_KEYS = `delete from idempotency
  where (actor, key) in (select actor, key from idempotency where at <= ? order by at limit ?)`

const removeUnused = (tx: Transaction, before: number, retention: Retention): number => {
  const { sql } = tx
  const lastUse = tx.now - Math.max(retention.endedMs, retention.expiredMs) - 2 * DAY_MS
  const day = Math.floor(lastUse / DAY_MS)
  const remove = [
    sql('delete from act where n in (select n from act where at < ? order by at limit ?)').run(before, RETENTION_ROWS),
    sql(`delete from scope_set_item where n in (${UNUSED_SCOPES})`).run(day, RETENTION_ROWS),
    sql(`delete from scope_set where n in (${UNUSED_SCOPES})`).run(day, RETENTION_ROWS),
    sql(`delete from audience_set where n in (${UNUSED_AUDIENCES})`).run(day, RETENTION_ROWS),
    sql(`delete from cutoff where state = 'closed' and at < ?`).run(before),
    sql(OLD_REFUSALS).run(tx.now - REFUSALS_KEPT_MS, RETENTION_ROWS),
    sql(OLD_KEYS).run(tx.now - IDEMPOTENCY_KEPT_MS, RETENTION_ROWS),
  ]
  return remove.reduce((sum, { changes }) => sum + changes, 0)
}

/** One step. While a cut-off is being filled nothing is removed, so that each ended token gets its record first. */
export const retentionStep = (tx: Transaction, retention: Retention): 'more' | 'nothing_left' => {
  if (tx.sql(`select 1 from cutoff where state = 'open'`).get() !== undefined) return 'nothing_left'
  for (const life of lifetimesOf(tx.sql)) {
    if (removeExpired(tx, life, retention) > 0) return 'more'
    dropIdleLifetime(tx, life)
  }
  const before = tx.now - retention.endedMs
  if (removeEnded(tx, before) > 0 || removeMinutes(tx, before) > 0) return 'more'
  const removed = removeUnused(tx, before, retention)
  if (removed > 0) tx.sets.forget()
  return removed >= RETENTION_ROWS ? 'more' : 'nothing_left'
}
