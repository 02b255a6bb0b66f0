// The checks that decide whether a token is dead, with what they looked at: of one snapshot, by keys alone.
import { CHECKS_OF_SUBJECTS, OWN_CHECKS, type OwnCheck } from '../../../../api/values/explanation.ts'
import {
  type Check,
  type DecidingAct,
  type Evidence,
  failedCheck,
  type LedgerExplanation,
  passedCheck,
} from '../../domain/ledger/explanation.ts'
import {
  type CutOff,
  type EndedSeqs,
  firstCovering,
  isAncestorDead,
  isEndedBy,
  type LookedUpToken,
  NOTHING_ENDED,
} from '../../domain/ledger/ledger.ts'
import type { Ancestor } from '../../domain/ledger/lineage.ts'
import type { NameKinds } from '../../domain/lists/names.ts'
import type { TokenEnd, TokenRecord } from '../../domain/lists/page.ts'
import { isAgent, subjectClaim } from '../../domain/ledger/token-subject.ts'
import { nameRecord } from '../lists/read-names.ts'
import { recall } from '../name-cache.ts'
import { bytesOfId } from '../rows.ts'
import type { Snapshot } from '../snapshot.ts'
import { first, only, type Program } from '../statement-program.ts'
import { readAct } from './acts.ts'
import { ENDED_SEQ, endingReasonOf, makeJudge } from './judge.ts'
import { findRow } from './find-row.ts'
import type { NameCaches } from './name-caches.ts'
import { lifeOfEnded, lifeOfRow } from './show-token.ts'
import { ledgerTokenOf, TOKEN_COLUMNS, type TokenRow } from './token-rows.ts'

const LIVE = `select ${TOKEN_COLUMNS} from token where life = ? and id = ?`
const ACT_OF = 'select act, at, reason from cutoff where seq = ?'

function* readEndedSeq(of: keyof typeof ENDED_SEQ, n: number | null): Program<number> {
  return n === null ? 0 : (yield* only<{ seq: number }>(ENDED_SEQ[of], n)).seq
}

function* readEndedSeqs({ service, sets }: Snapshot, row: TokenRow): Program<EndedSeqs> {
  const { principal } = row
  return {
    service: service.endedSeq,
    agent: yield* readEndedSeq('agent', row.agent),
    credential: yield* readEndedSeq('credential', row.cred),
    key: yield* readEndedSeq('key', row.key),
    issuer: yield* readEndedSeq('issuer', principal === null ? null : yield* recall(sets.issuer, principal)),
    principal: yield* readEndedSeq('principal', principal),
  }
}

const actOfEnd = (end: TokenEnd): DecidingAct => ({
  reason: end.reason,
  at: end.endedAt,
  by: end.endedBy,
  note: end.note,
  revocationId: end.revocationId,
})

function* actOfCutOff({ reason, at, act }: Pick<CutOff, 'reason' | 'at' | 'act'>): Program<DecidingAct> {
  const { endedBy: by, note, revocationId } = yield* readAct(act)
  return { reason, at, by, note, revocationId }
}

/** The act that set a number; none where retention removed its cut-off. */
function* actAt(seq: number): Program<Pick<Evidence, 'act'>> {
  const row = yield* first<{ act: number; at: number; reason: number }>(ACT_OF, seq)
  return row === undefined ? {} : { act: yield* actOfCutOff({ ...row, reason: endingReasonOf(row.reason) }) }
}

type Facts = Readonly<Record<OwnCheck, Evidence>>

const issuerOf = ({ subject }: TokenRecord): string | null => (isAgent(subject) ? null : subject.issuer)

const factsOf = ({ token, ended, openCutOffs, now }: LookedUpToken, record: TokenRecord): Facts => {
  const { seq } = token
  return {
    expiry: { now, expiresAt: 1000 * record.expiresAt },
    service: { seq, endedSeq: ended.service },
    agent: { id: record.agentId, seq, endedSeq: ended.agent },
    credential: { id: record.credentialId, seq, endedSeq: ended.credential },
    signing_key: { id: record.kid, seq, endedSeq: ended.key },
    trusted_issuer: { id: issuerOf(record), seq, endedSeq: ended.issuer },
    subject: { id: subjectClaim(record.subject), seq, endedSeq: ended.principal },
    cut_offs: { seq, cutOffs: openCutOffs.length },
  }
}

function* actBehind(one: LookedUpToken, check: OwnCheck, { endedSeq }: Evidence): Program<Pick<Evidence, 'act'>> {
  if (check === 'cut_offs') {
    const covering = firstCovering(one)
    return covering === undefined ? {} : { act: yield* actOfCutOff(covering) }
  }
  return endedSeq === undefined ? {} : yield* actAt(endedSeq)
}

function* ownChecks(one: LookedUpToken, record: TokenRecord): Program<readonly Check[]> {
  const facts = factsOf(one, record)
  const checks: Check[] = []
  for (const check of OWN_CHECKS) {
    if (one.token.principal === null && CHECKS_OF_SUBJECTS.includes(check)) continue
    const evidence = facts[check]
    if (isEndedBy(check, one))
      checks.push(failedCheck(check, { ...evidence, ...(yield* actBehind(one, check, evidence)) }))
    else checks.push(passedCheck(check, evidence))
  }
  return checks
}

function* lookedUp(snapshot: Snapshot, row: TokenRow, ended: EndedSeqs): Program<LookedUpToken> {
  const token = yield* ledgerTokenOf(row, snapshot.sets)
  return { token, ended, openCutOffs: yield* snapshot.cutOffs(), now: snapshot.now }
}

function* isDeadAbove(snapshot: Snapshot, { id, lifetimeSeconds }: Ancestor): Program<boolean> {
  const row = yield* first<TokenRow>(LIVE, lifetimeSeconds, bytesOfId(id))
  if (row === undefined) return isAncestorDead(undefined)
  const isUntouched = row.seq >= snapshot.service.lastEndSeq
  // Nothing more needs to be read where no act ended many tokens since.
  const ended = isUntouched ? NOTHING_ENDED : yield* readEndedSeqs(snapshot, row)
  return isAncestorDead(yield* lookedUp(snapshot, row, ended))
}

function* ancestorChecks(snapshot: Snapshot, { token }: LookedUpToken): Program<readonly Check[]> {
  const checks: Check[] = []
  for (const [n, ancestor] of token.ancestors.entries()) {
    const evidence = { id: ancestor.id, distance: n + 1 }
    const isDead = yield* isDeadAbove(snapshot, ancestor)
    checks.push(isDead ? failedCheck('ancestor', evidence) : passedCheck('ancestor', evidence))
  }
  return checks
}

function* checksOfRow(snapshot: Snapshot, row: TokenRow, record: TokenRecord): Program<readonly Check[]> {
  const one = yield* lookedUp(snapshot, row, yield* readEndedSeqs(snapshot, row))
  return [passedCheck('end'), ...(yield* ownChecks(one, record)), ...(yield* ancestorChecks(snapshot, one))]
}

/** Returns undefined if nothing is left of the token. */
export function* explainToken(
  snapshot: Snapshot,
  { nameCaches, named }: { readonly nameCaches: NameCaches; readonly named: NameKinds | undefined },
  tokenId: string,
): Program<LedgerExplanation | undefined> {
  const row = yield* findRow(snapshot, tokenId)
  if (row === undefined) return undefined
  const { now } = snapshot
  const publicJwk = yield* recall(nameCaches.publicJwk, row.key)
  if ('reason' in row) {
    const life = yield* nameRecord(lifeOfEnded({ snapshot, nameCaches }, row), named)
    const act = life.end === null ? {} : { act: actOfEnd(life.end) }
    return { life, checks: [failedCheck('end', act)], now, publicJwk }
  }
  const judge = makeJudge(snapshot, yield* snapshot.cutOffs())
  const life = yield* nameRecord(lifeOfRow({ snapshot, nameCaches, judge }, row), named)
  return { life, checks: yield* checksOfRow(snapshot, row, life.token), now, publicJwk }
}
