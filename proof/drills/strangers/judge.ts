// What a stage of the strangers drill must have left as it was.
import { type HonestCounts, type Kind, KINDS } from './honest-callers.ts'
import type { FirstTokens } from './first-tokens.ts'

export type Observation = {
  /** How the process ended, if it did. */
  readonly ended: string | null
  readonly threadsEnded: number
  /** Lines of the log that report a fault. */
  readonly faults: readonly string[]
  readonly residentBeforeMiB: number
  readonly residentAfterMiB: number
  readonly peakMiB: number
  readonly honest: HonestCounts
  /** How many tokens were active after their revocation was acknowledged. */
  readonly revived: number
  /** Requests of strangers answered, by status, and their connections. */
  readonly statuses: ReadonlyMap<number, number>
  readonly connections: number
  readonly firstTokens: FirstTokens | null
}

export const GROWTH_MIB_MAX = 250
const SUCCESS_SHARE_MIN = 0.99
/** Fewer would show nothing about one in a hundred. */
const ASKED_MIN: Readonly<Record<Kind, number>> = { introspect: 50, revoke: 5, issue: 5, list: 3 }

export const shareOf = ({ asked, succeeded }: HonestCounts, kind: Kind): number => succeeded[kind] / asked[kind]

const some = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

export const revivedLine = (revived: number): string =>
  `P1: ${some(revived, 'token')} active after the acknowledgement of their revocation`

/** Formats a share with one digit, which is never rounded up to all. */
export const percent = (share: number): string => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`

const judgeProcess = ({ ended, threadsEnded, faults }: Observation): readonly string[] => [
  ...(ended === null ? [] : [`the process ended with ${ended}`]),
  ...(threadsEnded === 0 ? [] : [`${some(threadsEnded, 'thread')} ended`]),
  ...(faults.length === 0 ? [] : [`${some(faults.length, 'fault')} in the log, the first: ${faults[0]}`]),
]

const judgeMemory = ({ residentBeforeMiB, residentAfterMiB }: Observation): readonly string[] => {
  const growth = residentAfterMiB - residentBeforeMiB
  return growth > GROWTH_MIB_MAX ? [`the process kept ${Math.round(growth)} MiB`] : []
}

const judgeHonest = ({ honest, revived, firstTokens }: Observation): readonly string[] => {
  const lacking = KINDS.filter(kind => honest.asked[kind] < ASKED_MIN[kind])
  const failing = KINDS.filter(kind => shareOf(honest, kind) < SUCCESS_SHARE_MIN)
  const shares = failing.map(kind => `${kind} ${percent(shareOf(honest, kind))}`).join(', ')
  return [
    ...lacking.map(kind => `only ${honest.asked[kind]} honest requests to ${kind}: too few to have tested anything`),
    ...(failing.length === 0
      ? []
      : [`honest callers: ${shares}; the first failure: ${honest.firstFailure ?? 'unknown'}`]),
    ...(revived === 0 ? [] : [revivedLine(revived)]),
    ...(firstTokens === null || firstTokens.got === firstTokens.asked
      ? []
      : [`${firstTokens.asked - firstTokens.got} of ${firstTokens.asked} imported clients got no first token`]),
  ]
}

const judgeStrangers = ({ connections, statuses }: Observation): readonly string[] => {
  const failed = statuses.get(500) ?? 0
  return [
    ...(connections === 0 ? ['no stranger was connected: nothing was tested'] : []),
    ...(failed === 0 ? [] : [`${some(failed, 'request')} of strangers answered with 500`]),
  ]
}

/** What is wrong, a line each; none where the stage is passed. */
export const judge = (observed: Observation): readonly string[] =>
  [judgeProcess, judgeMemory, judgeHonest, judgeStrangers].flatMap(part => part(observed))
