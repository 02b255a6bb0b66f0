// What each verifier of a process says of one token over time, and what is wrong with that once it is known when the
// token ended. Times are milliseconds of CLOCK_MONOTONIC, which all processes of a machine share.

/** What a verification says: that the token is good, that it has ended, or that the verifier does not know. */
export type Answer = 'accepted' | 'ended' | 'unknown'

/** What one verifier saw of a token. */
export type Sighting = {
  /** When the last verification that accepted the token began; null if none did. */
  readonly acceptedAt: number | null
  /** When the first verification that refused it as ended was done; null if none did. */
  readonly endedAt: number | null
  /** Verifications that accepted it after one had refused it as ended. */
  readonly revivals: number
}

export type Tally = { acceptedAt: number | null; endedAt: number | null; revivals: number }

export const makeTally = (): Tally => ({ acceptedAt: null, endedAt: null, revivals: 0 })

export const note = (tally: Tally, answer: Answer, beganAt: number, doneAt: number): void => {
  if (answer === 'ended') tally.endedAt ??= doneAt
  if (answer !== 'accepted') return
  if (tally.endedAt !== null && beganAt >= tally.endedAt) tally.revivals += 1
  if (tally.acceptedAt === null || beganAt > tally.acceptedAt) tally.acceptedAt = beganAt
}

export type End = {
  readonly kind: string
  /** When the response that acknowledged the end had arrived. */
  readonly acknowledgedAt: number
  /** When the request for it was sent. */
  readonly sentAt: number
}

export type Judgement = {
  readonly violations: readonly string[]
  /** The latency of each verifier that refused it as ended: ms from the acknowledgement, 0 where it knew before. */
  readonly latencies: readonly number[]
  /** Verifiers that had not heard of the end when this was asked. */
  readonly unaware: number
}

const judgeOne = (end: End, sighting: Sighting, stalenessMs: number): readonly string[] => {
  const wrong: string[] = []
  const { acceptedAt, endedAt, revivals } = sighting
  const late = acceptedAt === null ? 0 : acceptedAt - end.acknowledgedAt - stalenessMs
  if (late > 0) wrong.push(`P9: accepted ${late.toFixed(1)} ms beyond the staleness (${end.kind})`)
  if (endedAt !== null && endedAt < end.sentAt) wrong.push(`refused as ended before it was ended (${end.kind})`)
  if (revivals > 0) wrong.push(`P2: accepted ${revivals} times after it was refused as ended (${end.kind})`)
  return wrong
}

/** What is wrong with what the verifiers said of a token that ended. */
export const judgeSightings = (end: End, sightings: readonly Sighting[], stalenessMs: number): Judgement => {
  const heard = sightings.flatMap(({ endedAt }) => (endedAt === null ? [] : [endedAt]))
  return {
    violations: sightings.flatMap(sighting => judgeOne(end, sighting, stalenessMs)),
    latencies: heard.map(endedAt => Math.max(0, endedAt - end.acknowledgedAt)),
    unaware: sightings.length - heard.length,
  }
}

/** The value that this share of the sorted values does not exceed; NaN where there are none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN
