// What a drill knows about every token: what was asked for it, what was acknowledged, what was seen. Violations of the
// promises that a single answer shows are found here; what a restart may have lost is found by check-store.ts.
import type { EndingRequest } from '../requests.ts'

export type KnownToken = {
  readonly jti: string
  readonly text: string
  /** The one reason for which this drill may end the token. */
  readonly reason: EndingRequest
  /** A revocation was sent whose outcome is not known, or was known too late to rule on an answer. */
  revokeSent: boolean
  /** A revocation was answered with 200. */
  revoked: boolean
  /** An introspection said inactive, or history showed the token. */
  seenInactive: boolean
  /** The time of its end as history first showed it. */
  endedAt: string | undefined
}

export type KnownTokens = {
  readonly all: Map<string, KnownToken>
  readonly violations: string[]
  /** Issues sent whose answer never came: the service may hold a token for each. */
  issuesUnanswered: number
  revocations: number
  introspections: number
}

export const makeKnownTokens = (): KnownTokens => ({
  all: new Map(),
  violations: [],
  issuesUnanswered: 0,
  revocations: 0,
  introspections: 0,
})

/** A drill under which next to nothing was acknowledged has tested nothing: once a kill or cut is the least. */
export const requireLoad = (known: KnownTokens, times: number): void => {
  if (known.all.size >= times && known.revocations >= times) return
  const counts = `${known.all.size} tokens and ${known.revocations} revocations in ${times} rounds`
  known.violations.push(`Only ${counts} were acknowledged: too few to have tested anything.`)
}

export const addToken = (known: KnownTokens, token: Pick<KnownToken, 'jti' | 'text' | 'reason'>): KnownToken => {
  const added = { ...token, revokeSent: false, revoked: false, seenInactive: false, endedAt: undefined }
  if (known.all.has(token.jti)) known.violations.push(`Token ${token.jti} was issued twice.`)
  known.all.set(token.jti, added)
  return added
}

/** Whether nothing may say active any more. */
export const mustBeInactive = (token: KnownToken): boolean => token.revoked || token.seenInactive

/** Rules on an introspection; `wasInactive` is what mustBeInactive said when it was sent. */
export const noteIntrospection = (
  known: KnownTokens,
  token: KnownToken,
  { active, wasInactive }: { readonly active: boolean; readonly wasInactive: boolean },
): void => {
  known.introspections += 1
  if (active && wasInactive) {
    const why = token.revoked ? 'P1: its revocation was acknowledged' : 'P2: an answer had said inactive'
    known.violations.push(`Token ${token.jti} is active again. ${why}.`)
  }
  if (!active && !token.revokeSent) {
    known.violations.push(`P5: token ${token.jti} is inactive, though its issue was acknowledged and nothing ended it.`)
  }
  if (!active) token.seenInactive = true
}
