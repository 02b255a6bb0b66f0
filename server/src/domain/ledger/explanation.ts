// Why a token is active or not: the checks that decide, in order, and the one code that they come to.
import type { CheckName, ExplanationCode, TextCode } from '../../../../api/values/explanation.ts'
import type { Reason } from '../../../../api/values/reason.ts'
import type { Milliseconds } from '../../../../api/values/time.ts'
import type { PublicJwk } from '../keys/signing-key.ts'
import type { TokenEnd, TokenLife } from '../lists/page.ts'

/** The act by which a check fails. `by` is null where the caller may not see it. */
export type DecidingAct = {
  readonly reason: Reason
  readonly at: Milliseconds
  readonly by: TokenEnd['endedBy']
  readonly note: string | null
  readonly revocationId: string | null
}

/** What a check looked at; each has the members that it needs. */
export type Evidence = {
  readonly issuer?: string
  /** Null where the caller may not see it. */
  readonly id?: string | null
  readonly isSigned?: boolean
  readonly now?: Milliseconds
  readonly expiresAt?: Milliseconds
  readonly seq?: number
  readonly endedSeq?: number
  readonly cutOffs?: number
  readonly distance?: number
  readonly act?: DecidingAct
}

export type Check = { readonly check: CheckName; readonly isPassed: boolean; readonly evidence: Evidence }

/** What one snapshot of the ledger says of a token whose row, live or ended, is there. */
export type LedgerExplanation = {
  readonly life: TokenLife
  readonly checks: readonly Check[]
  readonly now: Milliseconds
  /** The public half of the key that signed the token. */
  readonly publicJwk: PublicJwk
}

export type Explanation = {
  readonly code: ExplanationCode
  readonly checks: readonly Check[]
  /** Null where no such token was found. */
  readonly explainedAt: Milliseconds | null
  readonly life: TokenLife | null
}

export const passedCheck = (check: CheckName, evidence: Evidence = {}): Check => ({ check, isPassed: true, evidence })
export const failedCheck = (check: CheckName, evidence: Evidence = {}): Check => ({ check, isPassed: false, evidence })

/** The code of a token: it is active where all checks pass, and else has an end with a reason. */
export const codeOf = ({ life, checks }: LedgerExplanation): ExplanationCode => {
  if (checks.every(({ isPassed }) => isPassed)) return 'active'
  if (life.end === null) throw new Error(`The token ${life.token.id} is dead, and nothing ended it.`)
  return life.end.reason
}

/** Explains a text that is no token of this service in its exact spelling. */
export const explainText = (code: TextCode, checks: readonly Check[]): Explanation => ({
  code,
  checks,
  explainedAt: null,
  life: null,
})
