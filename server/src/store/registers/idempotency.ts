// What an Idempotency-Key made: an act that creates something does it once for each key of its actor.
import type { Act } from '../../domain/act.ts'
import { IDEMPOTENCY_KEPT_MS, type MadeBefore } from '../../domain/idempotency.ts'
import type { Transaction } from '../sqlite/transaction.ts'

const FIND = 'select kind, subject from idempotency where actor = ? and key = ? and at > ?'
const KEEP = 'insert or replace into idempotency (actor, key, kind, subject, at) values (?, ?, ?, ?, ?)'

/**
 * What `make` gives, or what the act's key made before. In one transaction with what is made, so that of any number of
 * callers one makes it. A key counts from when `make` gave an object, which `subject` is the id of: a word is a refusal, and so is what
 * names who has taken something.
 */
export const once = <T extends object | string>(
  { sql, now }: Transaction,
  { kind, actor, idempotencyKey }: Act,
  subject: string,
  make: () => T,
): T | MadeBefore => {
  if (idempotencyKey === undefined) return make()
  const key = [JSON.stringify(actor), idempotencyKey]
  const before = sql<{ kind: string; subject: string }>(FIND).get(...key, now - IDEMPOTENCY_KEPT_MS)
  if (before !== undefined) return { madeBefore: before.subject, by: before.kind }
  const made = make()
  if (typeof made === 'object' && !('taken' in made)) sql(KEEP).run(...key, kind, subject, now)
  return made
}
