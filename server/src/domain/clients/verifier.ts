// Verifiers that follow the revocation feed: what they report, and what operators see of it.
import type { FeedHead, FeedPosition } from '../../../../api/values/feed.ts'
import { HELD_WITHIN_SECONDS, SILENT_SECONDS, type VerifierState } from '../../../../api/values/verifiers.ts'
import { formatTime, type Milliseconds } from '../../../../api/values/time.ts'
import type { Source } from '../source.ts'

export type AgentUses = { readonly agent_id: string; readonly count: number }

/** The position that a follower of the feed reports. The id of its API key and the name together identify the follower. */
export type PositionReport = FeedPosition & {
  readonly apiKeyId: string
  readonly name: string
  readonly address: Source
  /** Null where the report has no counts: the last ones stay. */
  readonly uses: readonly AgentUses[] | null
}

/** What the store keeps of the reports of one verifier. */
export type Verifier = FeedPosition & {
  readonly apiKeyId: string
  readonly apiKeyName: string
  readonly name: string
  readonly address: string
  readonly firstAt: Milliseconds
  readonly reportedAt: Milliseconds
  readonly uses: readonly AgentUses[]
}

/** How many are in each state. */
export type VerifierCounts = Readonly<Record<VerifierState, number>>

/** `feed`: its head in the same snapshot. */
export type StandingVerifier = { readonly verifier: Verifier; readonly feed: FeedHead }

type Missing = { readonly name: string; readonly apiKeyId: string; readonly staleSeconds: number }

/** Which of the verifiers that were heard of lately hold a revocation. */
export type Holding = { readonly total: number; readonly holding: number; readonly missing: readonly Missing[] }

/** A verifier that reported since then is counted of a revocation. */
export const heardSince = (now: Milliseconds): Milliseconds => now - 1000 * HELD_WITHIN_SECONDS

/** Never negative: clocks of two transactions may stand a moment apart. */
export const staleSecondsOf = (reportedAt: Milliseconds, now: Milliseconds): number =>
  Math.max(0, now - reportedAt) / 1000

/** Positions to go; null in another epoch. */
const behindOf = ({ epoch, position }: Verifier, feed: FeedHead): number | null =>
  epoch === feed.epoch ? Math.max(0, feed.position - position) : null

const stateOf = (behind: number | null, staleSeconds: number): VerifierState => {
  if (staleSeconds >= SILENT_SECONDS) return 'silent'
  return behind === 0 ? 'current' : 'behind'
}

export const verifierRecord = ({ verifier, feed }: StandingVerifier) => {
  const behind = behindOf(verifier, feed)
  const staleSeconds = staleSecondsOf(verifier.reportedAt, feed.now)
  return {
    name: verifier.name,
    api_key_id: verifier.apiKeyId,
    api_key_name: verifier.apiKeyName,
    address: verifier.address,
    epoch: verifier.epoch,
    position: verifier.position,
    behind,
    first_reported_at: formatTime(verifier.firstAt),
    reported_at: formatTime(verifier.reportedAt),
    stale_seconds: staleSeconds,
    state: stateOf(behind, staleSeconds),
    uses: verifier.uses.map(({ agent_id, count }) => ({ agent_id, count })),
  }
}

export const formatHolding = ({ total, holding, missing }: Holding) => ({
  total,
  holding,
  missing: missing.map(({ name, apiKeyId, staleSeconds }) => ({
    name,
    api_key_id: apiKeyId,
    stale_seconds: staleSeconds,
  })),
})
