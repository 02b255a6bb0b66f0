// Subjects that are blocked, whether or not a token was ever issued for them.
import { formatIssuerSubject, type IssuerSubject } from '../../../../api/values/subject.ts'
import { BLOCKED_SUBJECTS_MAX } from '../../../../api/values/issuers.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { Act, Actor } from '../../domain/audit/act.ts'
import type { Subject, SwitchedSubject } from '../../domain/clients/blocked-subject.ts'
import type { Ending } from '../../domain/ledger/ends.ts'
import { NO_CONDITION } from '../../domain/ledger/ledger.ts'
import type { KeyedPage, KeyedRequest } from '../../domain/lists/page.ts'
import type { SubjectFilters } from '../../ports/issuers.ts'
import type { Decide } from '../ledger/count-ends.ts'
import { endAll } from '../ledger/end-tokens.ts'
import { numberOfKept, numberOfTrusted } from '../ledger/principals.ts'
import { requireKnowledge } from '../schema-version.ts'
import { all, first, only, run, type Program } from '../statement-program.ts'
import { audit, nextSeq, type Transaction } from '../transaction.ts'

type Row = {
  readonly sub: string
  readonly at: Milliseconds
  readonly actor: string
  readonly note: string | null
}

const SELECT = 'select sub, at, actor, note from blocked_subject where issuer = ?'
const ONE = `${SELECT} and sub = ?`
const PAGE = `${SELECT} and sub > ? order by sub limit ?`

const subjectOf = (issuer: string, { sub, at, actor, note }: Row): Subject => ({
  issuer,
  sub,
  block: { at, by: JSON.parse(actor) as Actor, note }, // written by blockSubject from the same type
})

/** By `sub`, at most `limit` after this one; undefined where no issuer has the alias. */
export function* listSubjects({
  filters: { alias, sub },
  after,
  limit,
}: KeyedRequest<SubjectFilters>): Program<KeyedPage<Subject> | undefined> {
  const issuer = yield* numberOfTrusted(alias)
  if (issuer === undefined) return undefined
  const rows = sub === null ? yield* all<Row>(PAGE, issuer, after ?? '', limit + 1) : yield* all<Row>(ONE, issuer, sub)
  const records = rows.slice(0, limit).map(row => subjectOf(alias, row))
  return { records, next: rows.length > limit ? (records.at(-1)?.sub ?? null) : null }
}

// Counted where they are switched: it would take as long as there are blocked ones.
const COUNT = 'select coalesce(sum(blocked_count), 0) as count from trusted_issuer where deleted_at is null'
const ADD = 'update trusted_issuer set blocked_count = blocked_count + ? where n = ?'
const INSERT = 'insert into blocked_subject (issuer, sub, at, actor, note) values (?, ?, ?, ?, ?)'

/** The tokens that act for it. */
const endingOf = (principal: number | undefined): Ending => ({
  conditions: { ...NO_CONDITION, principals: principal === undefined ? [] : [principal] },
  reason: 'subject_blocked',
})

type Asked = { readonly issuer: number; readonly before: Row | undefined }

/** The subject as it is, or why it is not blocked. */
function* lookAt({ issuer: alias, sub }: IssuerSubject): Program<Asked | 'unknown' | 'too_many'> {
  const issuer = yield* numberOfTrusted(alias)
  if (issuer === undefined) return 'unknown'
  const before = yield* first<Row>(ONE, issuer, sub)
  const isFull = before === undefined && (yield* only<{ count: number }>(COUNT)).count >= BLOCKED_SUBJECTS_MAX
  return isFull ? 'too_many' : { issuer, before }
}

type ActOnSubject = { readonly subject: IssuerSubject; readonly act: Act }

/** Blocking twice changes nothing, and keeps the first note. */
export function* blockSubject(
  tx: Transaction,
  { subject, act }: ActOnSubject,
): Program<SwitchedSubject | 'unknown' | 'too_many'> {
  const found = yield* lookAt(subject)
  if (typeof found === 'string') return found
  const { issuer, before } = found
  const { issuer: alias, sub } = subject
  if (before !== undefined) return { ...subjectOf(alias, before), changed: false }
  yield* requireKnowledge(tx, 'blocked subjects')
  yield* run(INSERT, issuer, sub, tx.now, JSON.stringify(act.actor), act.note)
  yield* run(ADD, 1, issuer)
  const principal = yield* numberOfKept({ issuer, sub })
  // The number alone refuses what was decided on before.
  const seq = principal === undefined ? yield* nextSeq(tx) : yield* endAll(tx, { ...endingOf(principal), act })
  yield* audit(tx, act, formatIssuerSubject(subject), { seq })
  return { ...subject, block: { at: tx.now, by: act.actor, note: act.note }, changed: true }
}

/** What a dry run counts: nothing of one that is blocked. */
export const decidingBlock = (subject: IssuerSubject): Decide<'unknown' | 'too_many'> =>
  function* () {
    const found = yield* lookAt(subject)
    if (typeof found === 'string') return { refused: found }
    const { issuer, before } = found
    return { endings: before === undefined ? [endingOf(yield* numberOfKept({ issuer, sub: subject.sub }))] : [] }
  }

export function* unblockSubject(tx: Transaction, { subject, act }: ActOnSubject): Program<SwitchedSubject | 'unknown'> {
  const issuer = yield* numberOfTrusted(subject.issuer)
  if (issuer === undefined) return 'unknown'
  const removed = yield* run('delete from blocked_subject where issuer = ? and sub = ?', issuer, subject.sub)
  if (removed === 0) return { ...subject, block: null, changed: false }
  yield* run(ADD, -1, issuer)
  const seq = yield* nextSeq(tx)
  yield* audit(tx, act, formatIssuerSubject(subject), { seq })
  return { ...subject, block: null, changed: true }
}

const OF_DELETED = `select issuer, sub from blocked_subject
  where issuer in (select n from trusted_issuer where deleted_at is not null) limit ?`

/** Those of deleted issuers, from whom nothing is taken any more. */
export const removeOfDeleted = (_tx: unknown, rowsMax: number): Program<number> =>
  run(`delete from blocked_subject where (issuer, sub) in (${OF_DELETED})`, rowsMax)
