// When a token is dead, and what ended it. Every list, look-up, backfill and revocation decides with these functions.
import { hasResource } from '../../../../api/values/audience.ts'
import { matchesScope } from '../../../../api/values/scope.ts'
import { OWN_CHECKS, type OwnCheck } from '../../../../api/values/explanation.ts'
import type { EndingReason } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { type Ancestor, isFromAnother, rootIdOf } from './lineage.ts'
import type { SelectedAgents } from './selection.ts'
import { expiresSecondOf, issuedAtOf } from './claims.ts'

/** A row of the ledger, reduced to what decides whether it is dead. `agent`, `credential` and `key` are the store's numbers. */
export type LedgerToken = {
  readonly id: string
  readonly lifetimeSeconds: number
  readonly agent: number
  readonly credential: number
  readonly key: number
  readonly scope: readonly string[]
  readonly audience: readonly string[]
  /** `service.seq` as read by the decision to issue the token. */
  readonly seq: number
  /** The number of the principal on whose behalf it acts: a subject of an issuer. Null: it acts for an agent. */
  readonly principal: number | null
  /** The number of that principal's issuer. */
  readonly issuer: number | null
  /** Its parent first; none where the token has no parent. */
  readonly ancestors: readonly Ancestor[]
}

/** The conditions of a cut-off. Null means no condition; all others must hold. */
export type CutOffConditions = {
  readonly agent: number | null
  readonly credential: number | null
  readonly key: number | null
  /** Some item of the token's scope matches this pattern. */
  readonly scope: string | null
  /** Some item of the token's scope matches none of these patterns: the agent's scope was narrowed. */
  readonly keepScopes: readonly string[] | null
  /** The token is for this audience, possibly among others. */
  readonly audience: string | null
  /** Some audience of the token is none of these. */
  readonly keepAudiences: readonly string[] | null
  /** The token was issued before this time. */
  readonly before: Milliseconds | null
  /** The token, or the root of its lineage, is this one. Absent in what was stored before there were lineages. */
  readonly root?: string | null
  /** The agent got the token for a token of another agent. Absent in the same. */
  readonly fromAnother?: true | null
  /** The token is of one of these agents. Absent in what was stored before agents could be selected. */
  readonly selected?: SelectedAgents | null
  /** The token acts for a subject of one of these issuers. Absent in what was stored before any was exchanged for. */
  readonly issuers?: readonly number[] | null
  /** The token acts for one of these principals. Absent in the same. */
  readonly principals?: readonly number[] | null
}

/** No conditions: covers every token. */
export const NO_CONDITION: Required<CutOffConditions> = {
  agent: null,
  credential: null,
  key: null,
  scope: null,
  keepScopes: null,
  audience: null,
  keepAudiences: null,
  before: null,
  root: null,
  fromAnother: null,
  selected: null,
  issuers: null,
  principals: null,
}

/** An act that ended many tokens at once; perhaps not all of their rows are updated yet. */
export type CutOff = CutOffConditions & {
  readonly seq: number
  readonly at: Milliseconds
  readonly reason: EndingReason
  /** The number of the act in the store. */
  readonly act: number
}

const CONDITION_NAMES = Object.keys(NO_CONDITION) as readonly (keyof CutOffConditions)[] // all of them stand there

/** Whether the later one asks each condition of the earlier: of what was issued before that it ends nothing. */
export const endsAllOf = (earlier: CutOffConditions, later: CutOffConditions): boolean =>
  CONDITION_NAMES.every(name => {
    const asked = earlier[name] ?? null
    return asked === null || JSON.stringify(asked) === JSON.stringify(later[name])
  })

/**
 * The numbers up to which everything issued has ended, for the service, agent, credential and key of a token, and for the principal
 * and issuer; 0 where it has none.
 */
export type EndedSeqs = {
  readonly service: number
  readonly agent: number
  readonly credential: number
  readonly key: number
  readonly issuer: number
  readonly principal: number
}

export const NOTHING_ENDED: EndedSeqs = { service: 0, agent: 0, credential: 0, key: 0, issuer: 0, principal: 0 }

/** Whether it is one of these; without a list it need not be. */
const isAmong = (some: readonly number[] | null | undefined, n: number | null): boolean =>
  some === null || some === undefined || (n !== null && some.includes(n))

const conditionsHold = (x: CutOffConditions, t: LedgerToken): boolean =>
  (x.agent === null || x.agent === t.agent) &&
  (x.credential === null || x.credential === t.credential) &&
  (x.key === null || x.key === t.key) &&
  (x.scope === null || t.scope.some(item => matchesScope(x.scope ?? '', item))) &&
  (x.keepScopes === null || t.scope.some(item => !x.keepScopes?.some(pattern => matchesScope(pattern, item)))) &&
  (x.audience === null || hasResource(t.audience, x.audience)) &&
  (x.keepAudiences === null || t.audience.some(audience => !hasResource(x.keepAudiences ?? [], audience))) &&
  (x.before === null || issuedAtOf(t.id) < x.before) &&
  (x.root === null || x.root === undefined || x.root === rootIdOf(t)) &&
  (x.fromAnother !== true || isFromAnother(t)) &&
  isAmong(x.selected?.agents, t.agent) &&
  isAmong(x.issuers, t.issuer) &&
  isAmong(x.principals, t.principal)

/** Whether the cut-off ends this token: its issue was decided before the act, and every condition holds. */
const covers = (cutOff: CutOff, token: LedgerToken): boolean => token.seq < cutOff.seq && conditionsHold(cutOff, token)

const expiryOf = ({ id, lifetimeSeconds }: LedgerToken): Milliseconds => 1000 * expiresSecondOf(id, lifetimeSeconds)

const hasExpired = (token: LedgerToken, now: Milliseconds): boolean => now >= expiryOf(token)

/**
 * What of its own ended a token that still has its row: the first act that covered it while it was live, else its expiry,
 * else nothing. The first ending wins, so cut-offs are checked in the order of their numbers.
 */
export const ownCause = (
  token: LedgerToken,
  openCutOffs: readonly CutOff[],
  now: Milliseconds,
): CutOff | 'expired' | undefined => {
  const expiresAt = expiryOf(token)
  let first: CutOff | undefined
  for (const cutOff of openCutOffs) {
    if ((first === undefined || cutOff.seq < first.seq) && cutOff.at < expiresAt && covers(cutOff, token))
      first = cutOff
  }
  return first ?? (hasExpired(token, now) ? 'expired' : undefined)
}

/** The end of an ancestor: which one, and by which act. */
export type AncestorEnd = {
  /** How many edges up it stands: 1 for the parent. */
  readonly distance: number
  /** The number of its act in the store, and the time. */
  readonly act: number
  readonly at: Milliseconds
}

/** Returns the end that ended the token: that of the first act, and within one act of the nearest ancestor. Expiry ends no descendant. */
export const firstEnd = (ends: readonly AncestorEnd[]): AncestorEnd | undefined =>
  ends.reduce<AncestorEnd | undefined>(
    (first, end) =>
      first === undefined || end.act < first.act || (end.act === first.act && end.distance < first.distance)
        ? end
        : first,
    undefined,
  )

export type Cause = CutOff | AncestorEnd | 'expired'

export const isAncestorEnd = (cause: Cause): cause is AncestorEnd => typeof cause === 'object' && 'distance' in cause

/**
 * What ended a token that still has its row: of its own cause and the end of an ancestor the act with the smaller number;
 * where one act ended both, its own. Acts are numbered in the order of their times.
 */
export const causeOfEnd = (
  token: LedgerToken,
  ofAncestors: AncestorEnd | undefined,
  openCutOffs: readonly CutOff[],
  now: Milliseconds,
): Cause | undefined => {
  const own = ownCause(token, openCutOffs, now)
  if (ofAncestors === undefined || ofAncestors.at >= expiryOf(token)) return own
  return typeof own === 'object' && own.act <= ofAncestors.act ? own : ofAncestors
}

/** A token that still has its row, and what may have ended it: all of one snapshot. */
export type LookedUpToken = {
  readonly token: LedgerToken
  readonly ended: EndedSeqs
  readonly openCutOffs: readonly CutOff[]
  readonly now: Milliseconds
}

/** What ends a token of its own, each by itself. Only numbers that never fall decide, and the clock. */
const ENDED_BY: Readonly<Record<OwnCheck, (one: LookedUpToken) => boolean>> = {
  expiry: ({ token, now }) => hasExpired(token, now),
  service: ({ token, ended }) => token.seq < ended.service,
  agent: ({ token, ended }) => token.seq < ended.agent,
  credential: ({ token, ended }) => token.seq < ended.credential,
  signing_key: ({ token, ended }) => token.seq < ended.key,
  trusted_issuer: ({ token, ended }) => token.seq < ended.issuer,
  subject: ({ token, ended }) => token.seq < ended.principal,
  cut_offs: ({ token, openCutOffs }) => openCutOffs.some(cutOff => covers(cutOff, token)),
}

/** Whether the token is dead by this check alone. */
export const isEndedBy = (check: OwnCheck, one: LookedUpToken): boolean => ENDED_BY[check](one)

/** Whether the token is dead of its own, for any reason. Every check is made, so that the time does not say which one it was. */
const isDeadAlone = (one: LookedUpToken): boolean =>
  OWN_CHECKS.reduce((isDead, check) => ENDED_BY[check](one) || isDead, false)

/**
 * Whether an ancestor is dead, and its descendants with it; undefined for one without a row. No ancestor expires before its
 * descendant: one without a row was ended.
 */
export const isAncestorDead = (ancestor: LookedUpToken | undefined): boolean =>
  ancestor === undefined || isDeadAlone(ancestor)

/**
 * Whether a token is dead: of its own, or because an ancestor is. `ancestors` are in the order of the token's, of its
 * snapshot or a later one.
 */
export const isDead = (one: LookedUpToken, ancestors: readonly (LookedUpToken | undefined)[]): boolean =>
  isDeadAlone(one) || one.token.ancestors.some((_, n) => isAncestorDead(ancestors[n]))

/** Returns the first of the open cut-offs that cover the token. */
export const firstCovering = ({ token, openCutOffs }: LookedUpToken): CutOff | undefined =>
  openCutOffs
    .filter(cutOff => covers(cutOff, token))
    .reduce<CutOff | undefined>((first, one) => (first === undefined || one.seq < first.seq ? one : first), undefined)
