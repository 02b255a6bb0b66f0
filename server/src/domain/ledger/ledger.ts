// When a token is dead, and what ended it. Every list, look-up, backfill and revocation decides with these functions.
import { matchesScope } from '../../../../api/values/scope.ts'
import type { EndingReason } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import { expiresSecondOf, issuedAtOf } from './token-id.ts'

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
}

/** No conditions: covers every token. */
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

/** An act that ended many tokens at once; perhaps not all of their rows are updated yet. */
export type CutOff = CutOffConditions & {
  readonly seq: number
  readonly at: Milliseconds
  readonly reason: EndingReason
  /** The number of the act in the store. */
  readonly act: number
}

/** For the service, agent, credential and key of a token: the number up to which everything issued has ended. */
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

/** Whether the cut-off ends this token: its issue was decided before the act, and every condition holds. */
const covers = (cutOff: CutOff, token: LedgerToken): boolean => token.seq < cutOff.seq && conditionsHold(cutOff, token)

const hasExpired = (token: LedgerToken, now: Milliseconds): boolean =>
  now >= 1000 * expiresSecondOf(token.id, token.lifetimeSeconds)

/**
 * What ended a token that still has its row: the first act that covered it while it was live, else its expiry, else nothing.
 * The first ending wins, so cut-offs are checked in the order of their numbers.
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

/** Whether a token that still has its row is dead, for any reason. Only numbers that never fall decide. */
export const isDead = (
  token: LedgerToken,
  ended: EndedSeqs,
  openCutOffs: readonly CutOff[],
  now: Milliseconds,
): boolean =>
  hasExpired(token, now) ||
  token.seq < Math.max(ended.service, ended.agent, ended.credential, ended.key) ||
  openCutOffs.some(cutOff => covers(cutOff, token))
