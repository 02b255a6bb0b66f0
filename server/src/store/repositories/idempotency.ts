// What an Idempotency-Key made: an act that creates something does it once for each key of its actor.
import type { Act } from '../../domain/audit/act.ts'
import { IDEMPOTENCY_KEPT_MS, type AlreadyExists } from '../../domain/idempotency.ts'
import { first, run, type Program } from '../statement-program.ts'
import type { Transaction } from '../transaction.ts'

const FIND = 'select kind, subject from idempotency where actor = ? and key = ? and at > ?'
const KEEP = `insert into idempotency (actor, key, kind, subject, at) values (?, ?, ?, ?, ?)
  on conflict (actor, key) do update set kind = excluded.kind, subject = excluded.subject, at = excluded.at`

/**
 * Returns what `make` returns, or what the act's key made before. Both are in one transaction, so that of any number of callers one
 * makes it. The key is recorded only where `make` returns an object, whose id is `subject`: a string is a refusal, and so is an object
 * with `taken` or `refusal`.
 */
export function* once<T extends object | string>(
  { now }: Pick<Transaction, 'now'>,
  { kind, actor, idempotencyKey }: Act,
  subject: string,
  make: () => Program<T>,
): Program<T | AlreadyExists> {
  if (idempotencyKey === undefined) return yield* make()
  const key = [JSON.stringify(actor), idempotencyKey]
  const before = yield* first<{ kind: string; subject: string }>(FIND, ...key, now - IDEMPOTENCY_KEPT_MS)
  if (before !== undefined) return { existing: before.subject, by: before.kind }
  const made = yield* make()
  if (typeof made === 'object' && !('taken' in made || 'refusal' in made)) yield* run(KEEP, ...key, kind, subject, now)
  return made
}
