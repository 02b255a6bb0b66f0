// The explanation of a token on the wire.
import { formatTime } from '../../../../api/values/time.ts'
import type { Check, DecidingAct, Evidence, Explanation } from './explanation.ts'
import { formatLife } from './format-token.ts'

const formatAct = ({ reason, at, by, note, revocationId }: DecidingAct) => ({
  reason,
  at: formatTime(at),
  by,
  note,
  revocation_id: revocationId,
})

const formatEvidence = ({ isSigned, now, expiresAt, endedSeq, cutOffs, act, ...rest }: Evidence) => ({
  ...rest,
  ...(isSigned !== undefined && { signed: isSigned }),
  ...(now !== undefined && { now: formatTime(now) }),
  ...(expiresAt !== undefined && { expires_at: formatTime(expiresAt) }),
  ...(endedSeq !== undefined && { ended_seq: endedSeq }),
  ...(cutOffs !== undefined && { cut_offs: cutOffs }),
  ...(act !== undefined && { act: formatAct(act) }),
})

const formatCheck = ({ check, isPassed, evidence }: Check) => ({
  check,
  outcome: isPassed ? ('passed' as const) : ('failed' as const),
  evidence: formatEvidence(evidence),
})

export const formatExplanation = ({ code, checks, explainedAt, life }: Explanation) => ({
  code,
  active: code === 'active',
  explained_at: explainedAt === null ? null : formatTime(explainedAt),
  checks: checks.map(formatCheck),
  token: life === null ? null : formatLife(life),
})
