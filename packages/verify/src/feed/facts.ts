// All facts of an epoch up to a position, and what they say of a token.
import { type CutOffs, makeCutOffs, type Verdict, worse } from './cut-offs.ts'
import { type Changes, CUT_OFFS_MAX, type CutOff } from './document.ts'
import { ENDS_MAX, type EndedTails, makeEndedTails, TAIL_BYTES } from './ended-tails.ts'
import { type Subject, tailOf } from './subject.ts'
import type { Claims } from '../readers/claim-types.ts'

/**
 * `applied`: the position is now the document's. `held`: it was there before. `gap`: facts before it are missing.
 * `foreign`: of another epoch. `full`: there is no room for it.
 */
export type Applied = 'applied' | 'held' | 'gap' | 'foreign' | 'full'

export type Facts = {
  readonly epoch: string
  readonly position: () => number
  /** Grows with each document that brought facts: what was clear at a version is clear as long as it stays. */
  readonly version: () => number
  readonly apply: (changes: Changes) => Applied
  /** Forgets what is over at this time of the service, in ms since 1970. The largest so far counts. */
  readonly passTime: (nowMs: number) => void
  /** The largest time that the service stated, in ms since 1970. */
  readonly serviceMs: () => number
  /** Returns the worst verdict on a token and its ancestors. */
  readonly judge: (subjects: readonly Subject[]) => Verdict
  /** Judges a token without ancestors that is younger than every cut-off, as most new ones are; undefined for any other. */
  readonly judgeYoung: (claims: Claims) => Verdict | undefined
  /** Cut-offs of signing keys that came so far. */
  readonly keyCutOffs: () => number
  readonly sizes: () => { readonly ends: number; readonly cutOffs: number; readonly bytes: number }
}

export type FactBounds = { readonly endsMax: number; readonly cutOffsMax: number }

export const FACT_BOUNDS: FactBounds = { endsMax: ENDS_MAX, cutOffsMax: CUT_OFFS_MAX }

const endsIn = ({ ended }: Changes): number => ended.reduce((sum, [, tails]) => sum + tails.length / TAIL_BYTES, 0)

const judgeOne = (ends: EndedTails, cutOffs: CutOffs, subject: Subject): Verdict =>
  ends.has(subject.exp, tailOf(subject.id)) ? 'ended' : cutOffs.judge(subject)

/** One with conditions that are not known may name a key too. */
const concernsKey = ({ conditions }: CutOff): boolean => conditions === undefined || conditions.key !== undefined

export const makeFacts = (epoch: string, { endsMax, cutOffsMax }: FactBounds = FACT_BOUNDS): Facts => {
  const ends = makeEndedTails()
  const cutOffs = makeCutOffs()
  let position = 0
  let version = 0
  let serviceMs = 0
  let droppedBefore = 0
  let keyCutOffs = 0

  const passTime = (nowMs: number): void => {
    serviceMs = Math.max(serviceMs, nowMs)
    // What expires at second N is over as soon as the time is later than N, so the time is rounded up.
    const second = Math.ceil(serviceMs / 1000)
    if (second <= droppedBefore) return
    droppedBefore = second
    ends.dropBefore(second)
    cutOffs.dropBefore(second)
  }

  const isFull = (changes: Changes): boolean =>
    ends.size() + endsIn(changes) > endsMax || cutOffs.size() + changes.cutOffs.length > cutOffsMax

  const apply = (changes: Changes): Applied => {
    if (changes.epoch !== epoch) return 'foreign'
    if (changes.from > position) return 'gap'
    passTime(changes.now)
    if (changes.to < position) return 'held'
    if (isFull(changes)) return 'full'
    for (const [exp, tails] of changes.ended) ends.add(exp, tails)
    for (const cutOff of changes.cutOffs) cutOffs.add(cutOff)
    keyCutOffs += changes.cutOffs.filter(concernsKey).length
    if (changes.ended.length > 0 || changes.cutOffs.length > 0) version += 1
    const applied = changes.to > position ? 'applied' : 'held'
    position = changes.to
    return applied
  }

  return {
    epoch,
    position: () => position,
    version: () => version,
    apply,
    passTime,
    serviceMs: () => serviceMs,
    keyCutOffs: () => keyCutOffs,
    judgeYoung: ({ jti, exp, seq, lineage }) => {
      if (lineage !== undefined || !cutOffs.areAllBefore(seq)) return undefined
      return ends.has(exp, tailOf(jti)) ? 'ended' : 'clear'
    },
    judge: subjects => subjects.map(subject => judgeOne(ends, cutOffs, subject)).reduce(worse, 'clear'),
    sizes: () => ({ ends: ends.size(), cutOffs: cutOffs.size(), bytes: ends.bytes() }),
  }
}
