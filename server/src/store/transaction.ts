// What the statement programs of one write transaction share: its time, its numbers, its record of who acted.
import type { Act } from '../domain/audit/act.ts'
import type { EndingReason } from '../../../api/values/reason.ts'
import type { LiveTokens } from './ledger/live-tokens.ts'
import type { Knowledge } from './schema-version.ts'
import { only, run, type Program, type Value } from './statement-program.ts'
import type { Seen } from './snapshot.ts'
import type { Metrics } from '../ports/metrics.ts'

/** Its `now` is the one time of everything it does: read after the lock, never smaller than an earlier one. */
export type Transaction = Seen & {
  readonly live: LiveTokens
  /** The reasons of the tokens that ended early in it, one for each. They count once it is committed. */
  readonly endings: EndingReason[]
  /** Whether a program uses the store that lacks this. */
  readonly isEarlierServing: (knowledge: Knowledge) => Program<boolean>
  /** The number that was last given in a table, also where its row is gone; 0 where none was. None is left out. */
  readonly lastGiven: (table: NumberedTable) => Program<number>
}

/** Tables in which a missing number shows that a row was removed. */
export type NumberedTable = 'audit' | 'seal'

type Moment = Pick<Seen, 'now'>

/** Takes the next number: for what can refuse or end something, and for what every process must forget that remembers it. */
export function* nextSeq({ now }: Moment): Program<number> {
  const { seq } = yield* only<{ seq: number }>('update service set seq = seq + 1, last_at = ? returning seq', now)
  return seq
}

// Neither this nor a number is cached: what a failed job of the group wrote is rolled back.
export const stampTime = ({ now }: Moment): Program<number> => run('update service set last_at = ?', now)

const ACT = 'insert into act (kind, actor, note, at, request_id, revocation_id) values (?, ?, ?, ?, ?, ?) returning n'

/** Records the act for history, and the revocation that it is, if it is one; its number. */
export function* recordAct({ now }: Moment, act: Act, revocationId: string | null = null): Program<number> {
  yield* stampTime({ now })
  const row = [act.kind, JSON.stringify(act.actor), act.note, now, act.requestId, revocationId]
  const { n } = yield* only<{ n: number }>(ACT, ...row)
  return n
}

const AUDIT = `insert into audit (at, kind, actor, request_id, source, subject, note, detail)`

const auditValues = (now: number, { kind, actor, requestId, source }: Act) =>
  [now, kind, JSON.stringify(actor), requestId, source] as const

/** What the audit says of where a leaked secret was found; nothing where the act is of no report. */
export const foundAtOf = ({ foundAt }: Act): object => (foundAt === undefined ? {} : { found_at: foundAt })

/** Writes the act's row of the audit. */
export function* audit({ now }: Moment, act: Act, subject: string | null, detail: object): Program<void> {
  yield* stampTime({ now })
  const row = [...auditValues(now, act), subject, act.note, JSON.stringify(detail)]
  yield* run(`${AUDIT} values (?, ?, ?, ?, ?, ?, ?, ?)`, ...row)
}

/** Writes one for each of many subjects, the ids of the rows that `from` names: others wait for no statement each. */
export function* auditEach(
  { now }: Moment,
  act: Act,
  from: { readonly sql: string; readonly values: readonly Value[] },
  detail: object,
): Program<void> {
  yield* stampTime({ now })
  const row = [...auditValues(now, act), act.note, JSON.stringify(detail)]
  yield* run(`${AUDIT} select ?, ?, ?, ?, ?, id, ?, ? ${from.sql}`, ...row, ...from.values)
}

/** Tokens that ended early, once each: call it when the transaction that moved their rows is durable. */
export const countEndings = (metrics: Metrics, endings: readonly EndingReason[]): void => {
  for (const reason of endings) metrics.add('mintmark_tokens_ended_total', { reason })
}
