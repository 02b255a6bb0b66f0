// Which entry of the audit log is of the act that ended a token: one on itself, or one that ended it with others.
import type { AuditEntry } from '../../domain/audit/audit.ts'
import type { TokenLife } from '../../domain/lists/page.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { findRow } from '../ledger/find-row.ts'
import { judgeRow, makeJudge } from '../ledger/judge.ts'
import type { NameCaches } from '../ledger/name-caches.ts'
import { showToken } from '../ledger/show-token.ts'
import type { Snapshot } from '../snapshot.ts'
import { first, type Program } from '../statement-program.ts'

/** The number of the act; undefined where none ended the token. */
function* actOfEnd(snapshot: Snapshot, tokenId: string): Program<number | undefined> {
  const row = yield* findRow(snapshot, tokenId)
  if (row === undefined) return undefined
  if ('reason' in row) return row.act
  const { cause } = yield* judgeRow(snapshot, makeJudge(snapshot, yield* snapshot.cutOffs()), row)
  return typeof cause === 'object' ? cause.act : undefined
}

/** What an act that ended the token may have been on. */
const idsOf = ({ token, end }: TokenLife): readonly (string | null | undefined)[] => [
  token.id,
  token.credentialId,
  token.agentId,
  token.kid,
  end?.revocationId,
]

/** The subjects of acts that may have ended it. One on all of the store has none. */
function* subjectsOf(snapshot: Snapshot, nameCaches: NameCaches, tokenId: string): Program<ReadonlySet<unknown>> {
  const life = yield* showToken(snapshot, nameCaches, tokenId)
  const above = life?.end?.ancestorId ?? null
  const ancestor = above === null ? undefined : yield* showToken(snapshot, nameCaches, above)
  return new Set([null, ...[life, ancestor].flatMap(one => (one === undefined ? [] : idsOf(one)))])
}

const ACT = 'select kind, actor, at, request_id as "requestId" from act where n = ?'

type ActRow = { kind: string; actor: string; at: number; requestId: string | null }

export type EndEntry = { readonly at: Milliseconds; readonly is: (entry: AuditEntry) => boolean }

/** The time of the entry, and how it is known; undefined where no act ended the token. An act that supersedes has no entry. */
export function* findEnd(snapshot: Snapshot, nameCaches: NameCaches, tokenId: string): Program<EndEntry | undefined> {
  const n = yield* actOfEnd(snapshot, tokenId)
  const act = n === undefined ? undefined : yield* first<ActRow>(ACT, n)
  if (act === undefined) return undefined
  const subjects = yield* subjectsOf(snapshot, nameCaches, tokenId)
  return {
    at: act.at,
    is: ({ kind, actor, requestId, subject }) =>
      kind === act.kind && requestId === act.requestId && JSON.stringify(actor) === act.actor && subjects.has(subject),
  }
}
