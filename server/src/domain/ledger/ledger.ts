// When a token is dead, and what it died of. Every list, look-up, fill and revocation decides with these functions.
import { matchesScope } from '../../../../api/values/scope.ts'
import type { EndingReason } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { expiresSecondOf, issuedAtOf } from './token-id.ts'

/** A row of the ledger, as far as life and death need it. `agent`, `credential` and `key` are the store's numbers. */
export type LedgerToken = {
  readonly id: string
  readonly lifetimeSeconds: number
  readonly agent: number
  readonly credential: number
  readonly key: number
  readonly scope: readonly string[]
  readonly audience: readonly string[]
  /** `service.seq` as the decision to issue the token saw it. */
  readonly seq: number
}

/** What a cut-off asks of a token. A condition that is null is not asked; all that are asked must hold. */
export type CutOffConditions = {
  readonly agent: number | null
  readonly credential: number | null
  readonly key: number | null
  /** Some item of the token's scope matches this pattern. */
  readonly scope: string | null
  /** Some item of the token's scope matches none of these patterns: a narrowing. */
  readonly keepScopes: readonly string[] | null
  /** The token is for this audience, among others perhaps. */
  readonly audience: string | null
  /** Some audience of the token is none of these. */
  readonly keepAudiences: readonly string[] | null
  /** The token was issued before this instant. */
  readonly before: Milliseconds | null
}

/** Covers every token: what a cut-off starts from. */
export const NO_CONDITION: CutOffConditions = {
  agent: null,
  credential: null,
  key: null,
  scope: null,
  keepScopes: null,
  audience: null,
  keepAudiences: null,
  before: null,
}

/** An act that ended many tokens at once and whose rows may not all have followed yet. */
export type CutOff = CutOffConditions & {
  readonly seq: number
  readonly at: Milliseconds
  readonly reason: EndingReason
  /** The number of the act in the store. */
  readonly act: number
}

/** The numbers at which everything issued before was ended, for the four things that a token hangs on. */
export type EndedSeqs = {
  readonly service: number
  readonly agent: number
  readonly credential: number
  readonly key: number
}

const conditionsHold = (x: CutOffConditions, t: LedgerToken): boolean =>
  (x.agent === null || x.agent === t.agent) &&
  (x.credential === null || x.credential === t.credential) &&
  (x.key === null || x.key === t.key) &&
  (x.scope === null || t.scope.some(item => matchesScope(x.scope ?? '', item))) &&
  (x.keepScopes === null || t.scope.some(item => !x.keepScopes?.some(pattern => matchesScope(pattern, item)))) &&
  (x.audience === null || t.audience.includes(x.audience)) &&
  (x.keepAudiences === null || t.audience.some(audience => !x.keepAudiences?.includes(audience))) &&
  (x.before === null || issuedAtOf(t.id) < x.before)

/** Whether the cut-off ends this token: it was decided on before the act, and every condition holds. */
const covers = (cutOff: CutOff, token: LedgerToken): boolean => token.seq < cutOff.seq && conditionsHold(cutOff, token)

const hasExpired = (token: LedgerToken, now: Milliseconds): boolean =>
  now >= 1000 * expiresSecondOf(token.id, token.lifetimeSeconds)

/**
 * What ended a token that still has its row: the first act that covers it while it lived, else the clock, else nothing.
 * The first ending wins, so cut-offs are tried in the order of their numbers.
 */
export const causeOfEnd = (
  token: LedgerToken,
  openCutOffs: readonly CutOff[],
  now: Milliseconds,
): CutOff | 'expired' | undefined => {
  const expiresAt = 1000 * expiresSecondOf(token.id, token.lifetimeSeconds)
  let first: CutOff | undefined
  for (const cutOff of openCutOffs) {
    if ((first === undefined || cutOff.seq < first.seq) && cutOff.at < expiresAt && covers(cutOff, token))
      first = cutOff
  }
  return first ?? (hasExpired(token, now) ? 'expired' : undefined)
}

/** Whether a token that still has its row is dead. Inactive if any reason applies; numbers that never fall decide. */
export const isDead = (
  token: LedgerToken,
  ended: EndedSeqs,
  openCutOffs: readonly CutOff[],
  now: Milliseconds,
): boolean =>
  hasExpired(token, now) ||
  token.seq < Math.max(ended.service, ended.agent, ended.credential, ended.key) ||
  openCutOffs.some(cutOff => covers(cutOff, token))
