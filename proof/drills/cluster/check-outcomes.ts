// What must hold in the store once all is over: what was acknowledged is there, once, on the side where it belongs.
import { type ListRecord, scanList } from '../crash/check-store.ts'
import { type Access, claimsOf } from '../requests.ts'
import type { TokenOutcome } from '../linear/token-table.ts'

type Lists = { readonly live: ReadonlyMap<string, ListRecord>; readonly ended: ReadonlyMap<string, ListRecord> }

const REASONS_OF_REVOKES = ['manual_revocation', 'self_revocation']

const judgeEnded = (outcome: TokenOutcome, jti: string, reason: string): readonly string[] => {
  if (reason === 'expired') return outcome.shortLived ? [] : [`P6: token ${jti} has expired, long before its exp.`]
  if (!REASONS_OF_REVOKES.includes(reason)) return [`P6: token ${jti} ended by ${reason}, which nobody asked for.`]
  return outcome.revocation === 'none' ? [`P5: token ${jti} was revoked, though nobody asked for it.`] : []
}

/** What is wrong about a token, given the answers that its clients got. */
export const judgeOutcome = (outcome: TokenOutcome, { live, ended }: Lists): readonly string[] => {
  const { jti } = claimsOf(outcome.text)
  const record = ended.get(jti)
  if (record !== undefined && live.has(jti)) return [`P6: token ${jti} is in both lists.`]
  if (record !== undefined) return judgeEnded(outcome, jti, record.termination_reason ?? 'none')
  if (!live.has(jti)) return [`P3: the issue of token ${jti} was acknowledged, and it is lost.`]
  if (outcome.revocation === 'acknowledged')
    return [`P3: the revocation of token ${jti} was acknowledged, and it is lost.`]
  return outcome.seenInactive ? [`P2: token ${jti} is live, though an answer had said inactive.`] : []
}

/**
 * Reads both lists to their ends, once nothing is under way and what was short-lived has expired; `unanswered` issues may
 * have left tokens that nobody got.
 */
export const checkOutcomes = async (
  access: Access,
  outcomes: readonly TokenOutcome[],
  unanswered: number,
): Promise<readonly string[]> => {
  const violations: string[] = []
  const live = await scanList(access, '/api/v1/tokens', violations)
  const ended = await scanList(access, '/api/v1/tokens/history', violations)
  const known = new Set(outcomes.map(({ text }) => claimsOf(text).jti))
  const strangers = [...live.keys(), ...ended.keys()].filter(jti => !known.has(jti)).length
  if (strangers > unanswered) {
    violations.push(`P6: ${strangers} tokens that nobody got, where ${unanswered} issues had no answer.`)
  }
  return [...violations, ...outcomes.flatMap(outcome => judgeOutcome(outcome, { live, ended }))]
}
